"""A crane, and one thing of each kind that a package can bring."""

"""The state of a run: what of it can be reached, how each kind of object is kept, and what cannot be."""

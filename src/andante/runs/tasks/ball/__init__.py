"""A ball in the world: what became of it, and what was asked."""

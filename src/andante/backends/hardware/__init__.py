"""Robots by their own protocols, each with a fake that speaks the same bytes from another process."""

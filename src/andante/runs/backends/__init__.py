"""Kinds of backends: what a scenario says of that which is moved, one file each."""

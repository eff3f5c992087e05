"""Motions of a library that are played: how they end, and whether the joints followed."""

"""Walks over terrain: what is asked of them, how they are measured, judged and drawn."""

"""Robots that are told how fast or how far to go: what they did with it, measured, judged and told."""

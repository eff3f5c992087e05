"""Runs of dynamic quadrupeds."""

"""Searching for kicks: the problem, the campaign, libraries of kicks."""

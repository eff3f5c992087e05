"""Readers of what other programs write beside a policy."""

"""Whole walks: planned with one policy of retries, rehearsed, and planned anew under way."""

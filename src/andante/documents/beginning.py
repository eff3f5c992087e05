"""The beginning of a long document: its mappings whole, of each of its lists the first items."""

from __future__ import annotations

from typing import Any


def longest_list(data: Any) -> int:
    """Items of the longest list in plain data."""
    if isinstance(data, dict):
        return max(map(longest_list, data.values()), default=0)
    if isinstance(data, list):
        return max(len(data), max(map(longest_list, data), default=0))
    return 0


def beginning(data: Any, items: int) -> Any:
    """Plain data with at most so many items of each list."""
    if isinstance(data, dict):
        return {key: beginning(value, items) for key, value in data.items()}
    if isinstance(data, list):
        return [beginning(value, items) for value in data[:items]]
    return data

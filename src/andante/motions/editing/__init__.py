"""Editing motions: pure functions that make new documents from old ones."""

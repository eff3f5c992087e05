"""Kinds of tasks that robots are put to, one folder each."""

"""Judging: the same trials by other engines and other settings of the solver, and how far they agree."""

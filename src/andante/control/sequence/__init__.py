"""Controllers that follow each other in one run."""

"""This folder is the crane's pack."""

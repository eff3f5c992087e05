"""Animations of Choregraphe: `.xar` projects and exports to Python."""

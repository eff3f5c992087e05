"""Kick documents of the leg lab and the postures that they ask for."""

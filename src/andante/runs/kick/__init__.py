"""Kicks of the leg lab: run, measured, shown."""

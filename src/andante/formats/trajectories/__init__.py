"""Trajectories as tables: CSV and NPZ."""

"""Nonlinear model predictive control of a single rigid body on point feet."""

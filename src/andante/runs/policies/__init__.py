"""Learned policies: shipped ones by name, checks of one on a robot, and a run with one."""

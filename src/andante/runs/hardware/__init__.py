"""Robots and their fakes: started, looked at, armed, released, and held against each other."""

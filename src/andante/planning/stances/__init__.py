"""Where the body is over a sequence of footsteps."""

"""Where the feet go: costs of footholds, a path for the body, and footsteps searched along it."""

"""Planning over terrain: footsteps, stances of the body over them, and the trajectory that runs through both."""

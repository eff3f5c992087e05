"""Global plan of a dynamic quadruped: RRT-Connect over position and velocity with connecting and leaping motions."""

"""Drake as a second physics engine: it judges what was made in MuJoCo."""

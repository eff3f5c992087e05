"""The design rules for motions of a small legged robot, after the three criteria of the Eagle Knights' design page."""

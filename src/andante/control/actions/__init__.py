"""What a program outside decides at every tick in place of, or on top of, a controller."""

"""Controllers that play the keyframes of a kick."""

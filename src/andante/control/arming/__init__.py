"""How a robot is armed before a motion and let go of after it, by controllers above the guard."""

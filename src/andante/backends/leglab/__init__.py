"""The leg lab's worlds: the exercise's own physics, and MuJoCo with position servos; both are a Backend."""

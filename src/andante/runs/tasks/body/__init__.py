"""What the success criteria of a scenario ask of any robot: posture at the end, tilt, torques, way."""

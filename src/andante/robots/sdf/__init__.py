"""Models in SDF, the format of Gazebo, as the URDF that the rest of Andante reads."""

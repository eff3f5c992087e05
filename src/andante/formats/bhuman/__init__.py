"""The B-Human keyframe configuration files (`.cfg`), releases 2022 to 2025."""

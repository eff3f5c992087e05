"""Dynamic programming on tables, grids and stages; usable without a robot."""

"""Motion files of the team HULKs: JSON of today and `.motion2` of before."""

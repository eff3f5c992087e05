"""What came of a run: falls, standing, metrics, criteria, verdict and story."""

"""Estimation: where body and feet are, from what the sensors say."""

"""Learned policies: contract, readers, observation terms, network and controller."""

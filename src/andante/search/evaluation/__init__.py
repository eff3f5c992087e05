"""The evaluation loop: trials of many candidates, as fast as the physics allows."""

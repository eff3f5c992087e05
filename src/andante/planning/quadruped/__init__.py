"""Plans of a dynamic quadruped: global body plan, contact schedule, footholds, swings, local plan."""

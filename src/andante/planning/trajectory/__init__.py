"""From stances to a walk in time: the centre of mass, the swings at constant joint rate, the joints' angles."""

"""Studies: a motion, a robot and a goal become a better motion, with evidence."""

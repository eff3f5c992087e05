"""Motion files of ROBOTIS: the pages of DARwIn-OP, OP2 and OP3, and those of RoboPlus Motion."""

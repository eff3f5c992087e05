"""rcsssmj: the simulator of RoboCup's soccer league as a second opinion, in a process and an environment of its own."""

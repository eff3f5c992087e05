"""Motion files of the AIBO: MTN, ODA, MoNet's configuration, EKMoves.h, Tekkotsu's, and Andante's poses and moves."""

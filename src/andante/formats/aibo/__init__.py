"""The AIBO's motion files: MTN, ODA, MoNet's configuration, EKMoves.h, Tekkotsu's, and Andante's pose and move lists."""

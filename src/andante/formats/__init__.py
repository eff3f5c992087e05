"""Motion file formats: one codec per format, read and write, behind one registry."""

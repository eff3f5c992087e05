"""A run shown to people: the report, the replay in 3-D, the video, two runs compared, things named."""

"""Recordings of ROS: MCAP files and rosbag2's SQLite files, message by message."""

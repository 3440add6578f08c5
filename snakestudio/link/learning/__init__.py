"""What the traffic of an unknown robot shows: pure analysis of frames, without a bus and without a window."""

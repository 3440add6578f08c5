"""Drawing: a Scene and a Snapshot become a draw list (numpy), and a draw list becomes a picture (OpenGL 3.3 core)."""

"""Rendering of draw lists with OpenGL 3.3 core."""

"""Drawing surfaces of a viewport: OpenGL with a graphics card, a thread for software OpenGL, a plain view."""

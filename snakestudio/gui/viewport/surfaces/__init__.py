"""What a viewport draws on: OpenGL with a graphics card, a thread where the processor draws, a plain view."""

"""Viewport of the scene in the centre of the window: OpenGL host, navigation, picking, overlays."""

"""The picture of the scene in the middle of the window: OpenGL host, navigation, picking, overlays."""

"""The window: the only Qt code of SnakeStudio."""

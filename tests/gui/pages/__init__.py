"""Page objects of the window: each finds its widgets and offers what a user can do and see."""

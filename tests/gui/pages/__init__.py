"""Pages of the window for the tests: each knows how to find its widgets, and speaks the user's language."""

"""Studies in the window: setting one up, running it, and what comes of it."""

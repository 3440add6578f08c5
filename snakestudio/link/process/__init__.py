"""The link's own process, what it shares with the window, and the window's hand on it."""

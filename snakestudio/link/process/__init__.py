"""The link's process, the memory that it shares with the window, and the window's client of it."""

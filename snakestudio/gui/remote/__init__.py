"""Remote control of the window over a local port. It cannot arm: that is possible only by hand, at the window."""

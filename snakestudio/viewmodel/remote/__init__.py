"""Remote control of the window: the protocol, where a window is found, and the client of the command line."""

"""Remote control of the window: protocol, address of the window, and client for the command line."""

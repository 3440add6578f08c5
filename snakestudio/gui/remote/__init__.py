"""Remote control of the window over a local port. It cannot switch torque on: arming requires a hand in the window."""

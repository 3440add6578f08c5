"""Remote control of the window over a local port. Nothing here leads to torque: arming needs a hand in the window."""

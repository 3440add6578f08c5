"""Driving by hand: keys and gamepads, what they mean, and the mode in which they are the robot's."""

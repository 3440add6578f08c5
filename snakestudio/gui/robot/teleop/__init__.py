"""Teleoperation: keys, gamepads, their mapping and the mode in which they drive the robot."""

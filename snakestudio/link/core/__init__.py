"""The link's core: what is sent when, what is believed of the robot, what stops it; no clock, no thread, no bus."""

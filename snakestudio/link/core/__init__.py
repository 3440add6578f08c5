"""Core of the link: what is sent when, the state of the robot, and what stops it; without clock, thread or bus."""

"""What the window shows, live in other programs: the switch, its dialog, its commands."""

"""What the window shows of a study, and what it does with one, without Qt."""

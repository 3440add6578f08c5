"""What is said of a live robot, and where its links come from."""

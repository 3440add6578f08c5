"""Status of a live robot, and services that create its links."""

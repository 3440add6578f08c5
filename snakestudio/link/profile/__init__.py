"""Robot profiles: the file that a lab writes instead of code, next to an ordinary DBC."""

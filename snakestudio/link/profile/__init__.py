"""Robot profiles: the file that a lab writes instead of code, beside an ordinary DBC."""

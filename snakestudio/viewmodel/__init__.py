"""What views show, as plain data and functions without Qt."""

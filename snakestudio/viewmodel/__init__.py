"""Content of views as plain data and functions, without Qt."""

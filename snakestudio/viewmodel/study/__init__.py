"""Content of views of studies, as plain data."""

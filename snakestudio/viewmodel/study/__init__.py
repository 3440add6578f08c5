"""What is seen of studies, as plain data."""

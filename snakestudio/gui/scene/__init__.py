"""What stands around the viewport."""

"""The scale of the time bar."""

"""Malicious files: input from outside may be anything, and is answered with a message."""

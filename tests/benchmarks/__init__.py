"""Measurements against the bars the program sets itself; `make bench`."""

"""Benchmarks with the bars of the program; `make bench`."""

"""Compiled numerics on floats and arrays, independent of scenes."""

"""Compiled numerics on floats and arrays: nothing here knows what a scene is."""

"""Shapes of obstacles: the solids that they are made of, outlines from above, and how files of others bring them."""

"""Entries of vectors along x, y and z; a file of its own, for who checks scenes must not load the compiler."""

from __future__ import annotations

__all__ = ["X", "Y", "Z"]

X, Y, Z = range(3)

"""Entries of vectors along x, y and z; a file of its own, for who checks scenes must not load the compiler."""

from __future__ import annotations

X, Y, Z = range(3)

"""Indices of vectors along x, y and z, in a separate module because checks of scenes must not load the compiler."""

from __future__ import annotations

X, Y, Z = range(3)

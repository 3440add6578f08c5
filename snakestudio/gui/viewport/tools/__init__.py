"""Editing in the viewport: the selection is moved, rotated and scaled with handles, keys and typed numbers."""

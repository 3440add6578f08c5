"""Editing in the viewport: what is selected is moved, turned and scaled by handles, keys and typed numbers."""

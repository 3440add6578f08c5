"""Kept runs in the window: the browser, the runs that are seen beside the present one, and the keeping itself."""

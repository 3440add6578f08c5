"""Plug-ins: files and packages of users that add kinds, their trust, and the handling of their faults.

A plug-in runs only with the user's consent: `--plugin`, a Python call, or trust in its file or
folder. This package does not depend on scenes, engines or the window: each declaration has its own
registry.
"""

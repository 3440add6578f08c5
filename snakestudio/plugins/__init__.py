"""Code of users: files and packages that add kinds, whom the user trusts, and what happens when they fail.

A plug-in runs only where the user has said so: by `--plugin`, by a Python call, or by trusting its
file or folder. Nothing here knows scenes, engines or the window: what a plug-in declares says
itself where it belongs.
"""

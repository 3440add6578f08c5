"""Recorded runs in the window: recording, list, overlays, playback and export."""

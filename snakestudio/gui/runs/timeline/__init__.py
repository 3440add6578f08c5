"""Time bar: shown time, events and playback of recorded data."""

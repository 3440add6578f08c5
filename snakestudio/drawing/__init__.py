"""Draw lists of scenes and snapshots as numpy arrays, the camera, and picking."""

"""Export of videos: options, preview and camera path."""

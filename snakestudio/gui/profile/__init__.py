"""Robot profiles in the window: table editor, learning from traffic and wiggle test."""

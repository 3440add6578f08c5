"""The robot as values: links and joints, or a continuous body with its strain and what holds it; and how it starts."""

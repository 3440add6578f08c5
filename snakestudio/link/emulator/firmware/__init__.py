"""What runs on a robot's nodes: one class per rule book, each from its own published protocol."""

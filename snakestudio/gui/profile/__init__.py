"""The robot profile in the window: edited as tables, learned from traffic, tried joint by joint."""

"""Live plots of the run: plots, their panels, channels and derived channels."""

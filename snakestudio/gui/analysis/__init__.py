"""What is made of runs, in the window: measured trials, fits, comparisons of models."""

"""What is made of runs afterwards: signals, comparisons with experiments and between models, fits."""

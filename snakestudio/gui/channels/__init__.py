"""What can be plotted, under the names that scripts use: found, dragged into plots, derived from one another."""

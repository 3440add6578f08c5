"""Live plots of the run: history, views and the panel that shows four of them."""

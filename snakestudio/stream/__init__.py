"""Live streams of runs and robots to Foxglove, Lichtblick, PlotJuggler and Rerun."""

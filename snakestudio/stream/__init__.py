"""Runs and robots live in other programs: Foxglove, Lichtblick, PlotJuggler and Rerun."""

"""Figures of the papers, redrawn from runs of the included scenes, and figures of any run."""

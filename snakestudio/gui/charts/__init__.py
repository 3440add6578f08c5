"""Charts: what pyqtgraph draws of a chart's data."""

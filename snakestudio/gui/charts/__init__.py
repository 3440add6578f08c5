"""Charts: drawing of chart data with pyqtgraph."""

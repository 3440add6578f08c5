"""Text tables from other programs: cells, units and clocks."""

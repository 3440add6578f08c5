"""Tables of text that others wrote: cells, units and clocks."""

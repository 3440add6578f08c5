"""Content of plots: channels of a recording, caches for long runs, and charts as data."""

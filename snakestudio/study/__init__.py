"""Studies: a scene run many times with other values, on one machine or on a cluster, and what came of it."""

"""Studies: a scene run many times with different values, on one computer or on a cluster, and the results."""

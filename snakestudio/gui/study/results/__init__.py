"""What came of a study: table, map, scatter, parallel coordinates and convergence, linked with each other."""

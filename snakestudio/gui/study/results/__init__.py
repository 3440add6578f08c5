"""Results of a study: linked table, map, scatter, parallel coordinates and convergence."""

"""Engine `planar_lagrangian`: Lagrange's equations with viscous and smoothed Coulomb friction, no obstacles (P4)."""

"""Engine `planar_nonholonomic`: obstacles as one-sided nonholonomic constraints of the links (P3)."""

"""Import and export of robot files (URDF, SDF and MJCF) through a common description."""

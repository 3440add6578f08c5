"""Robot files of other programs: URDF, SDF and MJCF are read into a description, and written from one."""

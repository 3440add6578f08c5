"""Engine `planar_nonsmooth`: set-valued friction and obstacle contact of a snake robot in the plane (paper P2)."""

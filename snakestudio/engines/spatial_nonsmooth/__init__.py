"""Engine `spatial_nonsmooth`: set-valued friction and impacts of a snake robot in space (paper P1)."""

"""Engine `planar_lagrangian`: Lagrange's equations with viscous and smoothed Coulomb friction, no obstacles.

Paper P4: Rezapour, Pettersen, Liljebäck, Gravdahl, Kelasidi 2014, Robotics and Biomimetics 1:3.
"""

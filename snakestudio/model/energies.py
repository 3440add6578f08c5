"""Meanings of the columns of energies and works."""

from __future__ import annotations

ENERGY_HELP = {
    "energy_kinetic_j": "Kinetic energy of all links",
    "energy_potential_j": "Potential energy of gravity, 0 at the origin of the world, and energy stored in the "
    "springs of the joints",
    "work_actuator_j": "Work of the motors; of a continuous body, of its internal couples and forces",
    "work_friction_j": "Work of friction with the ground and with obstacles",
    "work_gravity_j": "Work of gravity during the motion",
    "work_obstacle_j": "Work of the normal forces of obstacles (`spatial_nonsmooth`: of all normal forces, "
    "also of the ground)",
    "work_joint_j": "Work of the forces that hold the joints together",
    "work_stop_j": "Work of the stops at the joint limits (`planar_lagrangian`: also of springs and dampers of the "
    "joints)",
    "work_external_j": "Work of external forces: pulls with the mouse, and `apply_wrench` in Python",
    "work_gyroscopic_j": "Work of the gyroscopic torques: 0 in the exact equations, here the error of their explicit "
    "integration",
    "work_support_j": "Work of the supports and anchors of a continuous body; 0 if they are at rest",
    "work_friction_viscous_j": "Part of `work_friction_j` due to viscous friction",
    "work_friction_coulomb_j": "Part of `work_friction_j` due to Coulomb friction",
    "work_spring_j": "Work of the springs of the joints; their energy is part of `energy_potential_j`",
    "work_damper_j": "Work of the dampers of the joints",
    "work_projection_j": "Work of gravity while links are moved to close the joints at the end of a step (projection "
    "of the positions); it changes the potential energy, not the kinetic energy",
}
"""Help by column. Works are those on the robot since the start of the run: positive if they add kinetic
energy. Formulations of plug-ins add further columns."""

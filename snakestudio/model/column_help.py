"""Short descriptions of columns of vectors and energies; `model/quantities.py` declares the columns."""

from __future__ import annotations

FORCES = {"obstacle": "obstacles", "ground": "the ground"}
LINK_AXES = {
    "along": "along the link (towards the head)",
    "across": "across the link (to its left)",
    "up": "along the link's z axis",
}
POSE = {
    **{f"{axis}_m": f"Position of the link's centre of mass, {axis}" for axis in "xyz"},
    **{f"q{part}": f"Orientation of the link, quaternion, {part}" for part in "wxyz"},
}
TWIST = {
    **{f"v{axis}_mps": f"Velocity of the link's centre of mass, {axis}" for axis in "xyz"},
    **{f"w{axis}_radps": f"Angular velocity of the link, {axis}" for axis in "xyz"},
}
STRAINS = (
    "Stretch along the body (1: unstrained)",
    "Shear along the section's y axis",
    "Shear along the section's z axis",
    "Twist",
    "Curvature about the section's y axis",
    "Curvature about the section's z axis",
)
WRENCH = {
    **{f"n{axis}_n": f"Internal force in the section's frame, {axis}" for axis in "xyz"},
    **{f"c{axis}_nm": f"Internal couple in the section's frame, {axis}" for axis in "xyz"},
}
HOLDS = (
    "Whether the anchor or support holds (1 or 0)",
    "Position of the anchor or support along the unstrained body",
    *(f"Position of the anchor or support, {axis}" for axis in "xyz"),
    *(f"Normal of the cross-section at the anchor or support, {axis}" for axis in "xyz"),
    *(f"Force of the anchor or support on the body, {axis}" for axis in "xyz"),
    *(f"Torque of the anchor or support on the body, {axis}" for axis in "xyz"),
)
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
    "work_dry_friction_j": "Work of dry friction in the joints and of losses in their gears",
    "work_projection_j": "Work of gravity while links are moved to close the joints at the end of a step (projection "
    "of the positions); it changes the potential energy, not the kinetic energy",
}
"""Help by column. Works are those on the robot since the start of the run: positive if they add kinetic
energy. Formulations of plug-ins add further columns."""

"""Menu commands that remote control may call: those listed here, and no others.

Excluded are commands that open dialogs, commands of the user's session (quit, save, the
clipboard), and all robot commands except those that switch torque off. A new command is not
callable until it is listed here.
"""

from __future__ import annotations

SAFE_WITH_TORQUE = frozenset({"stop_robot", "disarm_robot"})
"""Commands allowed while a robot may have torque: they switch it off."""

_EDIT = (
    "undo",
    "redo",
    "robot_to_gait",
    "straighten_robot",
    "start_here",
    "select_all",
    "deselect",
)

_VIEW = (
    "view_top",
    "view_front",
    "view_right",
    "view_projection",
    "frame_all",
    "frame_selection",
    "follow",
    "show_forces",
    "show_friction",
    "show_ground_forces",
    "show_support_torques",
    "show_contact_points",
    "show_trail",
    "show_path",
    "show_centre_of_mass",
    "show_joint_axes",
    "show_reference_ghost",
    "show_see_through",
    "show_grid",
    "show_drafting",
    "arrows_longer",
    "arrows_shorter",
    "layout_build",
    "layout_run",
    "layout_analyse",
    "theme",
)

_RUN = (
    "close_run",
    "play",
    "step",
    "single_step",
    "reset",
    "prepare",
    "slower",
    "faster",
    "real_time",
    "play_recorded",
    "loop",
    "mark_in",
    "mark_out",
    "play_all",
    "continue_here",
    "to_start",
    "row_back",
    "row_on",
    "event_back",
    "event_on",
    "live",
    "show_all_time",
)

COMMANDS = SAFE_WITH_TORQUE | frozenset({*_EDIT, *_VIEW, *_RUN})
"""Ids of the allowed commands."""

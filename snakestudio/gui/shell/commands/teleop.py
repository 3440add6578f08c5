"""Driving by hand, in the Robot menu: the same mode drives the simulation and a live robot."""

from __future__ import annotations

from snakestudio.gui.shell.commands.command import Command, has_links, line

__all__ = ["TELEOP"]

TELEOP: tuple[Command, ...] = (
    line("Robot"),
    Command(
        "teleop", "Robot", "Teleoperation", lambda w: w.teleoperation.toggle(), ("Ctrl+J",),
        lambda w: w.teleoperation.teleop.on or has_links(w), lambda w: w.teleoperation.teleop.on, icon="gamepad",
        tip="Keys and gamepad drive what is shown, and nothing else happens when they are pressed; Esc leaves",
    ),
    Command(
        "teleop_mapping", "Robot", "Keys and Gamepad ...", lambda w: w.teleoperation.edit_mapping(),
        long=True,
        tip="What keys, sticks and buttons do under teleoperation",
    ),
)  # fmt: skip

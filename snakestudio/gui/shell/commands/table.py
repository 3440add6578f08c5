"""Every command of the window in one table; see `actions` for what is made from it."""

from __future__ import annotations

from snakestudio.gui.shell.commands.command import Command
from snakestudio.gui.shell.commands.edit import EDIT
from snakestudio.gui.shell.commands.file import FILE
from snakestudio.gui.shell.commands.help import HELP
from snakestudio.gui.shell.commands.robot import ROBOT
from snakestudio.gui.shell.commands.simulation import SIMULATION
from snakestudio.gui.shell.commands.teleop import TELEOP
from snakestudio.gui.shell.commands.time import TIME
from snakestudio.gui.shell.commands.view import VIEW

__all__ = ["TABLE"]

TABLE: tuple[Command, ...] = (*FILE, *EDIT, *VIEW, *SIMULATION, *ROBOT, *TELEOP, *TIME, *HELP)
"""All commands, in the order of the menus."""

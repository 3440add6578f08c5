"""Every command of the window in one table; see `actions` for what is made from it."""

from __future__ import annotations

from snakestudio.gui.commands.edit import EDIT
from snakestudio.gui.commands.file import FILE
from snakestudio.gui.commands.help import HELP
from snakestudio.gui.commands.robot import ROBOT
from snakestudio.gui.commands.simulation import SIMULATION
from snakestudio.gui.commands.spec import Spec
from snakestudio.gui.commands.teleop import TELEOP
from snakestudio.gui.commands.time import TIME
from snakestudio.gui.commands.view import VIEW

__all__ = ["TABLE"]

TABLE: tuple[Spec, ...] = (*FILE, *EDIT, *VIEW, *SIMULATION, *ROBOT, *TELEOP, *TIME, *HELP)
"""All commands, in the order of the menus."""

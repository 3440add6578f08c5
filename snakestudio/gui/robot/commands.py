"""Commands of the Robot menu. The space bar stops while a robot is connected; see `robot.stop_button`."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context, is_jointed, line
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.robot.fault_menu import FAULT_MENU
from snakestudio.gui.robot.robot_feature import RobotFeature
from snakestudio.gui.robot.teleop.teleop_feature import TeleopFeature
from snakestudio.gui.robot.together.starter import StartTogether
from snakestudio.link.messages import LinkState


class RobotContext(Context, Protocol):
    """Context of these commands."""

    robot_controller: RobotController
    robot_feature: RobotFeature
    teleop_feature: TeleopFeature
    start_together: StartTogether


def _connected(c: RobotContext) -> bool:
    return c.robot_controller.connected


def _may_arm(c: RobotContext) -> bool:
    return c.robot_controller.state in (LinkState.LISTENING, LinkState.IDLE)


TOGETHER: tuple[Command[RobotContext], ...] = (
    Command(
        "start_together",
        "Simulation",
        "Start Together...",
        lambda c: c.start_together.ask(),
        ("Ctrl+Shift+T",),
        lambda c: c.start_together.possible or c.start_together.waiting,
        icon="together",
        label=lambda c: (
            "Cancel Start Together" if c.start_together.waiting else "Start Together..."
        ),
        tip="Start at the same time as other instruments: send a trigger or wait for one",
    ),
)
"""Commands that start together with other instruments."""

ROBOT: tuple[Command[RobotContext], ...] = (
    Command(
        "connect_robot",
        "Robot",
        "Connect...",
        lambda c: c.robot_feature.ask_connect(),
        ("Ctrl+Alt+K",),
        icon="robot",
        tip="Connect to a robot on a CAN bus, an emulated robot or a log, at first in listen-only mode",
    ),
    Command(
        "emulated_robot",
        "Robot",
        "Emulated Robot...",
        lambda c: c.robot_feature.ask_connect("emulated"),
        tip="Start a simulated robot that uses the same CAN protocol as the real one",
    ),
    Command(
        "mend_faults",
        FAULT_MENU,
        "Clear All Faults",
        lambda c: c.robot_controller.clear_faults(),
        (),
        lambda c: c.robot_controller.emulated,
        tip="Restart failed nodes; arm the robot again by hand",
    ),
    Command(
        "disconnect_robot",
        "Robot",
        "Disconnect",
        lambda c: c.robot_controller.disconnect_robot(),
        (),
        _connected,
    ),
    line("Robot"),
    Command(
        "stop_robot",
        "Robot",
        "Stop",
        lambda c: c.robot_controller.stop(),
        (),
        _connected,
        icon="stop",
        tip="Stop the robot; the space bar does this from anywhere while a robot is connected",
    ),
    line("Robot"),
    Command(
        "arm_robot",
        "Robot",
        "Arm...",
        lambda c: c.robot_feature.focus_hold_button(),
        (),
        _may_arm,
        tip="Go to the button that arms the robot while it is held",
    ),
    Command(
        "stream_robot",
        "Robot",
        "Start Streaming",
        lambda c: c.robot_controller.stream(),
        ("Ctrl+Return",),
        lambda c: c.robot_controller.state is LinkState.ARMED and c.robot_controller.status.armed,
        tip="Make the robot follow the scene's gait or controller",
    ),
    Command(
        "disarm_robot",
        "Robot",
        "Disarm",
        lambda c: c.robot_controller.disarm(),
        (),
        lambda c: c.robot_controller.state in (LinkState.ARMED, LinkState.STREAMING),
        tip="Switch torque off with the disarm sequence",
    ),
    Command(
        "reset_robot",
        "Robot",
        "Reset Fault",
        lambda c: c.robot_controller.reset(),
        (),
        lambda c: c.robot_controller.state is LinkState.FAULT,
        tip="After a stop, allow the robot to be armed again",
    ),
    line("Robot"),
    Command(
        "record_frames",
        "Robot",
        "Record Frames...",
        lambda c: c.robot_feature.record_frames(),
        (),
        _connected,
        label=lambda c: (
            "End Recording of Frames" if c.robot_controller.log is not None else "Record Frames..."
        ),
        tip="Record every frame on the bus to a file (BLF, ASC or candump) for later replay",
    ),
)
"""Commands that control the robot."""

PANELS: tuple[Command[RobotContext], ...] = (
    Command(
        "robot_panel",
        "Robot",
        "Robot Panel",
        lambda c: c.show_dock("robot"),
        tip="Show state, arming, nodes and bus of the robot",
    ),
    Command(
        "robot_data",
        "Robot",
        "Robot Data",
        lambda c: c.show_dock("robot_data"),
        tip="Show the values of every joint, events and bus traffic",
    ),
)
"""Commands that show the robot."""

TELEOP: tuple[Command[RobotContext], ...] = (
    line("Robot"),
    Command(
        "teleop",
        "Robot",
        "Teleoperation",
        lambda c: c.teleop_feature.toggle(),
        ("Ctrl+J",),
        lambda c: c.teleop_feature.teleop.on or is_jointed(c),
        lambda c: c.teleop_feature.teleop.on,
        icon="gamepad",
        tip="Drive with keys and gamepad; bound keys have no other effect meanwhile; Esc leaves",
    ),
    Command(
        "teleop_mapping",
        "Robot",
        "Keys and Gamepad...",
        lambda c: c.teleop_feature.edit_mapping(),
        long=True,
        tip="Configure keys, sticks and buttons of teleoperation",
    ),
)
"""Commands for teleoperation, which drives the simulation as well as a live robot."""

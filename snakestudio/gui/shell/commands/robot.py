"""The Robot menu. Stop has the space bar while a robot is connected; see `robot.stop_key_filter`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakestudio.gui.robot.fault_menu import FAULT_MENU
from snakestudio.gui.shell.commands.command import Command, line
from snakestudio.link.messages import LinkState

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["ROBOT"]


def _connected(w: MainWindow) -> bool:
    return w.robot.connected


def _may_arm(w: MainWindow) -> bool:
    return w.robot.state in (LinkState.LISTENING, LinkState.IDLE)


def _open_editor(window: MainWindow) -> None:
    from snakestudio.gui.profile import entry

    entry.open_editor(window)


def _open_learning(window: MainWindow) -> None:
    from snakestudio.gui.profile import entry

    entry.open_learning(window)


def _open_wiggle(window: MainWindow) -> None:
    from snakestudio.gui.profile import entry

    entry.open_wiggle(window)


ROBOT: tuple[Command, ...] = (
    Command(
        "connect_robot", "Robot", "Connect ...", lambda w: w.robot_in_window.ask_connect(), ("Ctrl+Alt+K",),
        icon="robot",
        tip="A robot on a CAN bus, an emulated one, or a log: at first it is only listened to",
    ),
    Command(
        "emulated_robot", "Robot", "Emulated Robot ...", lambda w: w.robot_in_window.ask_connect("emulated"),
        tip="Start a robot that exists only in this computer and speaks as the real one does",
    ),
    Command(
        "mend_faults", FAULT_MENU, "Mend All Faults", lambda w: w.robot_in_window.mend_faults(), (),
        lambda w: w.robot.emulated, tip="Nodes that dropped out boot anew; the robot is armed again by hand",
    ),
    Command("disconnect_robot", "Robot", "Disconnect", lambda w: w.robot_in_window.disconnect_robot(), (), _connected),
    line("Robot"),
    Command(
        "stop_robot", "Robot", "Stop", lambda w: w.robot.stop(), (), _connected, icon="stop",
        tip="The space bar does this from anywhere while a robot is connected",
    ),
    line("Robot"),
    Command(
        "arm_robot", "Robot", "Arm ...", lambda w: w.robot_in_window.go_to_hold_button(), (), _may_arm,
        tip="Go to the button that arms when it is held",
    ),
    Command(
        "stream_robot", "Robot", "Start Streaming", lambda w: w.robot.stream(), ("Ctrl+Return",),
        lambda w: w.robot.state is LinkState.ARMED and w.robot.standing.armed,
        tip="The robot follows the scene's gait or controller",
    ),
    Command(
        "disarm_robot", "Robot", "Disarm", lambda w: w.robot.disarm(), (),
        lambda w: w.robot.state in (LinkState.ARMED, LinkState.STREAMING), tip="Torque off, in order",
    ),
    Command(
        "reset_robot", "Robot", "Reset Fault", lambda w: w.robot.reset(), (),
        lambda w: w.robot.state is LinkState.FAULT, tip="After a stop: the robot may be armed again",
    ),
    line("Robot"),
    Command(
        "record_frames", "Robot", "Record Frames ...", lambda w: w.robot_in_window.record_frames(), (), _connected,
        label=lambda w: "End Recording of Frames" if w.robot.log is not None else "Record Frames ...",
        tip="Write every frame on the bus to a file (BLF, ASC or candump), which can be replayed later",
    ),
    Command(
        "edit_profile", "Robot", "Robot Profile ...", _open_editor, icon="table", long=True,
        tip="Which frames carry what of which joint, as tables with checks: no code for another robot",
    ),
    Command(
        "learn_profile", "Robot", "Learn from Traffic ...", _open_learning, long=True,
        tip="Find out what an unknown robot sends: counters, checksums, heartbeats, and angles while you move a joint",
    ),
    Command(
        "wiggle_test", "Robot", "Wiggle Test ...", _open_wiggle, (), _connected,
        tip="Move one joint a little and judge its sign, gear, play, lag and offset in words",
    ),
    line("Robot"),
    Command(
        "robot_panel", "Robot", "Robot Panel", lambda w: w.show_dock("robot"),
        tip="State, arming, nodes and bus of the robot",
    ),
    Command(
        "robot_data", "Robot", "Robot Data", lambda w: w.show_dock("robot_data"),
        tip="Every joint's figures, what happened, and the traffic on the bus",
    ),
)  # fmt: skip

"""A window with a fake robot connected to it."""

from __future__ import annotations

from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.link.messages import LinkState
from snakestudio.viewmodel.robot.services import LiveChoices
from tests.gui.fake_link import FakeLink, FakeLoaded, services


def connect_link(window: MainWindow) -> FakeLink:
    """Connect the window to a robot that is listening."""
    link = FakeLink()
    window.context.robot_controller.services = services(link)
    window.context.robot_controller.connect_to(
        FakeLoaded(link.profile), link.profile.bus, LiveChoices()
    )  # type: ignore[arg-type]
    return link


def put(window: MainWindow, link: FakeLink, state: LinkState) -> None:
    """Set the state of the robot and update the window."""
    link.state = state
    window.context.robot_controller.poll()

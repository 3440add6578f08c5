"""Services for robots of the window: profiles, adapters, links and live sources, replaceable in tests.

Their implementations are imported on first use, so that a window without a robot does not load the
bus library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.link.messages import LinkEvent
from snakestudio.model.scene import Scene

if TYPE_CHECKING:
    from snakestudio.link.base import Link
    from snakestudio.link.bus.adapters import Adapter
    from snakestudio.link.profile.loading import LoadedProfile
    from snakestudio.link.profile.schema import Bus
    from snakestudio.live.live_robot import LiveRobot


@dataclass(frozen=True, slots=True)
class LiveChoices:
    """Options for viewing a connected robot."""

    pose: str = ""
    """Source of live poses, as in `snakestudio.live.pose_stream.pose_source`: a UDP port, ADDRESS:PORT or
    lsl:NAME; "" for none."""

    twin: bool = True
    """Whether a simulation runs alongside the robot."""


NewRun = Callable[[Scene], Path | None]
Tell = Callable[[LinkEvent], None]
"""Callback that receives events, on any thread."""


def _shipped() -> list[Path]:
    from snakestudio.link.profile.library import shipped

    return shipped()


def _load(path: Path) -> LoadedProfile:
    from snakestudio.link.profile.loading import load_profile

    return load_profile(path)


def _interfaces() -> list[Adapter]:
    from snakestudio.link.bus.adapters import available

    return available()


def _open_link(loaded: LoadedProfile, bus: Bus) -> Link:
    from snakestudio.link.process.client import LinkClient

    return LinkClient(loaded, bus)


def _open_live(
    link: Link,
    scene: Scene,
    base_dir: Path | None,
    new_run: NewRun,
    tell: Tell,
    choices: LiveChoices,
) -> LiveRobot:
    from snakestudio.live.live_robot import LiveRobot
    from snakestudio.live.pose_stream import pose_source

    pose = pose_source(choices.pose) if choices.pose else None
    return LiveRobot(
        link, scene, base_dir, new_run=new_run, on_event=tell, pose=pose, twin=choices.twin
    )


@dataclass(frozen=True)
class Services:
    """Services for robots, with the real implementations as defaults."""

    profiles: Callable[[], list[Path]] = field(default=_shipped)
    """Returns the files of the bundled profiles."""

    load: Callable[[Path], LoadedProfile] = field(default=_load)
    """Loads a profile; raises `ProfileError`."""

    interfaces: Callable[[], list[Adapter]] = field(default=_interfaces)
    """Returns the adapters of this machine, within two seconds."""

    open_link: Callable[[LoadedProfile, Bus], Link] = field(default=_open_link)
    """Starts a link to a robot on a bus; raises `LinkError`."""

    open_live: Callable[[Link, Scene, Path | None, NewRun, Tell, LiveChoices], LiveRobot] = field(
        default=_open_live
    )
    """Creates a live source from a link."""

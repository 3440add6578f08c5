"""A run made of formulas, and its capture by cameras, for the tests of experiments: the true values are known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.capture import Capture
from snakestudio.model.recording import Schema
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene
from snakestudio.runfile.recording import RunRecording
from tests.blank_rows import blank_rows

N = 11
SPEED = 0.15
HERTZ = 0.25
SWING = 0.08
LENGTH = 0.12
ENERGIES = ("kinetic", "potential", "work_actuator", "work_friction")


def track(time: NDArray[np.float64], link: int, speed: float = SPEED) -> NDArray[np.float64]:
    """Position of a link: along x at a constant speed, on a serpentine; it accelerates in half a second."""
    travelled = speed * (time - 0.5 * (1.0 - np.exp(-time / 0.5)))
    s = travelled - LENGTH * link
    return np.stack(
        [s, SWING * np.sin(2.0 * math.pi * HERTZ * s / speed), np.full(len(time), 0.05)], axis=1
    )


def heading(time: NDArray[np.float64], link: int) -> NDArray[np.float64]:
    """Direction of the serpentine at the link."""
    s = SPEED * (time - 0.5 * (1.0 - np.exp(-time / 0.5))) - LENGTH * link
    slope = SWING * 2.0 * math.pi * HERTZ / SPEED * np.cos(2.0 * math.pi * HERTZ * s / SPEED)
    return np.arctan(slope)


def make_run(duration: float = 12.0, rate: float = 100.0) -> RunRecording:
    """Return the run as a recording."""
    time = np.arange(round(duration * rate) + 1) / rate
    k = len(time)
    pose = np.zeros((k, N, 7))
    for link in range(N):
        yaw = heading(time, link)
        pose[:, link, :3] = track(time, link)
        pose[:, link, 3] = np.cos(0.5 * yaw)
        pose[:, link, 6] = np.sin(0.5 * yaw)
    schema = Schema(N, yaw_axes(N - 1), ENERGIES)
    recording = RunRecording(Scene(title="Formula"), schema)
    recording.append(blank_rows(schema, time, link_pose=pose, steps=np.arange(k)))
    return recording


def seen(
    offset: float = 0.1,
    turn_deg: float = 23.0,
    origin: tuple[float, float, float] = (1.8, -0.7, 0.03),
    *,
    link: int = 5,
    noise: float = 0.0,
    seed: int = 0,
    rate: float = 20.0,
    duration: float = 11.0,
    gaps: tuple[tuple[int, int], ...] = (),
    speed: float = SPEED,
    turned: bool = False,
    name: str = "trial",
    numbered: bool = True,
) -> Capture:
    """Return the capture by cameras whose clock starts `offset` after the robot's, in a turned and shifted frame."""
    time = np.arange(round(duration * rate) + 1) / rate
    position = track(time + offset, link, speed) @ rotation(math.radians(turn_deg)).T + origin
    position += np.random.default_rng(seed).normal(0.0, noise, position.shape)
    measured = np.ones((len(time), 1), dtype=bool)
    for begin, end in gaps:
        measured[begin:end] = False
    orientation = None
    if turned:
        yaw = heading(time + offset, link) + math.radians(turn_deg)
        orientation = np.zeros((len(time), 1, 4))
        orientation[:, 0, 0] = np.cos(0.5 * yaw)
        orientation[:, 0, 3] = np.sin(0.5 * yaw)
    links = (link if numbered else None,)
    return Capture(
        name,
        time,
        ("Body",),
        links,
        position[:, None],
        orientation,
        None,
        measured,
        source=f"{name}.csv",
    )

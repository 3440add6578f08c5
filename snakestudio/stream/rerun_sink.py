"""A listening Rerun viewer, or a Rerun file, as the destination of a stream."""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.style import DARK, Colour
from snakestudio.errors import StreamError
from snakestudio.inputs import local_path
from snakestudio.model.recording import Schema
from snakestudio.model.snapshot import Fields
from snakestudio.runfile.mcap.views import part_names
from snakestudio.stream.sampler import Sample
from snakestudio.stream.solids import Solids, arrow_scale, contact_arrows, solids_of
from snakestudio.stream.target import RERUN_PORT, Target

_ANSWER_S = 1.0
_FLUSH_S = 2.0
"""Time limit for a viewer to accept a connection, and to receive pending samples, s."""

MOST_WAITING = 50
"""Largest number of pending samples; without it the SDK would buffer hundreds of megabytes."""

_MISSING = 'Streaming to Rerun needs the package rerun-sdk. Install it with: pip install "snakestudio[rerun]"'

_JOINTS = (
    ("joint_angle", "joints/angle_rad", Fields.JOINTS),
    ("joint_rate", "joints/rate_rad_s", Fields.JOINTS),
    ("joint_torque", "joints/torque_nm", Fields.TORQUE),
    ("joint_angle_ref", "joints/angle_ref_rad", Fields.REFERENCE),
    ("joint_rate_ref", "joints/rate_ref_rad_s", Fields.REFERENCE),
)
"""Attributes of rows, their entities, and the fields that must be valid."""

_FIGURES = "figures"

_LEVELS = {"fault": "ERROR", "unsolved": "WARN", "jam": "WARN"}


class RerunSink:
    """Sends each run as a separate recording; further runs of a file get a number after the file name.

    Raises `StreamError` if the package is missing, no viewer responds, or the file cannot be written.

    Parameters
    ----------
    on_note : callable
        Called with messages for the user, on any thread.
    """

    def __init__(self, target: Target, on_note: Callable[[str], None] = lambda text: None) -> None:
        try:
            self._rerun: Any = import_module("rerun")
        except ImportError:
            raise StreamError(_MISSING) from None
        self._path = None if target.path is None else local_path(target.path)
        self._on_note = on_note
        self._abandoned = threading.Event()
        self._waiting = 0  # samples since the viewer last received all
        self._runs = 0
        self._stream: Any = None
        self._solids: Solids | None = None
        self.address = target.address
        if self._path is None:
            _check_viewer(target)
            self._url = f"rerun+http://{target.address}/proxy"
            self.address = self._url
        else:
            _check_writable(self._path)

    @property
    def clients(self) -> int:
        """Number of receivers: 1, the viewer or the file."""
        return 1

    def has_newcomers(self) -> bool:
        """False: the viewer keeps earlier data."""
        return False

    def publish(self, sample: Sample, newcomers: bool) -> None:
        """Send a sample."""
        if sample.new_run or self._stream is None:
            self._begin(sample)
        rerun = self._rerun
        stream = self._stream
        row = sample.row
        stream.set_time("time", duration=sample.time)
        if sample.new_scene or self._solids is None:
            self._show_scene(sample)
        snapshot = sample.snapshot
        schema = sample.layout.schema
        if schema.valid & (Fields.POSE | Fields.SHAPE):
            for name, pose in zip(part_names(schema), snapshot.link_pose.tolist(), strict=True):
                w, x, y, z = pose[3:]
                turn = rerun.Quaternion(xyzw=[x, y, z, w])
                stream.log(
                    f"world/{name}", rerun.Transform3D(translation=pose[:3], quaternion=turn)
                )
        for attribute, entity, valid in _JOINTS:
            if schema.axes and valid in schema.valid:
                stream.log(entity, rerun.Scalars(getattr(row, attribute)[0]))
        if sample.figures.size:
            stream.log(_FIGURES, rerun.Scalars(sample.figures[0]))
        if Fields.CONTACTS in schema.valid:
            self._show_contacts(sample)
        for event in sample.events:
            stream.set_time("time", duration=event.time)
            stream.log(
                "events",
                rerun.TextLog(f"{event.kind}: {event.text}", level=_LEVELS.get(event.kind, "INFO")),
            )
        self._waiting += 1
        if self._waiting >= MOST_WAITING and self._path is None:
            self._wait_for_viewer()

    def _wait_for_viewer(self) -> None:
        """Wait until the viewer has received all samples; new samples are skipped meanwhile."""
        noted = False
        while not self._abandoned.is_set():
            began = time.monotonic()
            try:
                self._stream.flush(timeout_sec=_FLUSH_S)
            except (OSError, RuntimeError, ValueError):
                if time.monotonic() - began < 0.9 * _FLUSH_S:
                    raise StreamError(
                        f"The connection to the Rerun viewer at {self.address} is lost. "
                        "Start the viewer, then start the stream again."
                    ) from None
            else:
                self._waiting = 0
                return
            if not noted:
                noted = True
                self._on_note(
                    f"The Rerun viewer at {self.address} does not respond. Samples are skipped until it does; "
                    "restart it if it hangs."
                )

    def close(self) -> None:
        """Send pending samples and disconnect; do not wait for a viewer that hangs."""
        stream = self._stream
        self._stream = None
        if stream is not None:
            self._close_stream(stream)

    def abandon(self) -> None:
        """Stop waiting for the viewer, even at the end of the program."""
        self._abandoned.set()
        self._rerun.unregister_shutdown()

    def _close_stream(self, stream: Any) -> None:
        """Flush and close a stream; samples that the viewer does not receive in time are lost."""
        ended = threading.Event()

        def end() -> None:
            try:
                stream.flush(timeout_sec=_FLUSH_S)
                stream.disconnect()
            except (
                OSError,
                RuntimeError,
                ValueError,
            ):  # the viewer has been closed
                pass
            ended.set()

        threading.Thread(target=end, name="snakestudio-rerun-end", daemon=True).start()
        if not ended.wait(_FLUSH_S):
            self.abandon()

    # --- a run

    def _begin(self, sample: Sample) -> None:
        rerun = self._rerun
        if self._stream is not None:
            self._close_stream(self._stream)
        self._runs += 1
        self._solids = None
        stream = rerun.RecordingStream("snakestudio", recording_id=uuid.uuid4())
        try:
            if self._path is None:
                stream.connect_grpc(self._url)
            else:
                number = f"-{self._runs}" if self._runs > 1 else ""
                stream.save(self._path.with_name(f"{self._path.stem}{number}{self._path.suffix}"))
        except (OSError, RuntimeError, ValueError) as error:
            raise StreamError(
                f"The stream to {self.address} failed: {error}. Start it again."
            ) from None
        self._stream = stream
        stream.send_recording_name(sample.layout.scene.title)
        stream.log("world", rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        self._name_series(sample.layout.schema, sample.layout.views.figures)

    def _name_series(self, schema: Schema, figures: tuple[str, ...]) -> None:
        """Name the curves; an entity has many curves, because each entity costs time in each sample."""
        names = [axis.name for axis in schema.axes]
        for _, entity, valid in _JOINTS:
            if names and valid in schema.valid:
                self._stream.log(entity, self._rerun.SeriesLines(names=names), static=True)
        if figures:
            self._stream.log(_FIGURES, self._rerun.SeriesLines(names=list(figures)), static=True)

    def _show_scene(self, sample: Sample) -> None:
        rerun = self._rerun
        stream = self._stream
        layout = sample.layout
        self._solids = solids = solids_of(
            layout.scene, layout.schema, sample.snapshot.link_pose, layout.base_dir
        )
        for each in solids.links:
            capsule = rerun.Capsules3D(
                lengths=[2 * each.half_length],
                radii=[each.radius],
                translations=[[each.middle - each.half_length, 0.0, 0.0]],
                rotation_axis_angles=[rerun.RotationAxisAngle(axis=[0.0, 1.0, 0.0], degrees=90.0)],
                colors=[_rgb(each.colour)],
                fill_mode="solid",
            )
            stream.log(f"world/{each.frame}/solid", capsule)
        (x, y), (length, width) = solids.floor.centre, solids.floor.size
        floor = rerun.Boxes3D(
            centers=[[x, y, -0.001]],
            half_sizes=[[0.5 * length, 0.5 * width, 0.001]],
            colors=[_rgb(solids.floor.colour)],
            fill_mode="solid",
        )
        stream.log("world/ground", floor)
        posts = rerun.Cylinders3D(
            lengths=[post.height for post in solids.posts],
            radii=[post.radius for post in solids.posts],
            centers=[[post.x, post.y, 0.5 * post.height] for post in solids.posts],
            colors=[_rgb(solids.post_colour)] * len(solids.posts),
            fill_mode="solid",
        )
        stream.log("world/posts", posts)
        for number in range(2):
            if number < len(solids.surfaces):
                surface = solids.surfaces[number]
                mesh = rerun.Mesh3D(
                    vertex_positions=surface.points,
                    triangle_indices=surface.triangles,
                    albedo_factor=[*_rgb(surface.colour), 255],
                )
                stream.log(f"world/surface_{number + 1}", mesh)
            else:
                stream.log(f"world/surface_{number + 1}", rerun.Clear(recursive=False))

    def _show_contacts(self, sample: Sample) -> None:
        contacts = sample.snapshot.contacts
        scale = arrow_scale(sample.layout.scene)
        for name, force, colour in (
            ("normal", contacts.force_normal, DARK.force),
            ("friction", contacts.force_friction, DARK.friction),
        ):
            self._arrows(
                f"world/contacts/{name}", *contact_arrows(contacts.point, force, scale), colour
            )

    def _arrows(self, entity: str, begin: FloatArray, vector: FloatArray, colour: Colour) -> None:
        arrows = self._rerun.Arrows3D(
            origins=begin.astype(np.float32),
            vectors=vector.astype(np.float32),
            colors=[_rgb(colour)] * len(begin),
        )
        self._stream.log(entity, arrows)


def _rgb(colour: Colour) -> list[int]:
    return [round(255 * part) for part in colour]


def _check_viewer(target: Target) -> None:
    try:
        socket.create_connection((target.host, target.port), _ANSWER_S).close()
    except OSError:
        raise StreamError(
            f"No Rerun viewer listens at {target.address}. Start one with 'rerun' "
            f"(it listens on port {RERUN_PORT}), or write a file with rerun:FILE.rrd."
        ) from None


def _check_writable(path: Path) -> None:
    if not os.path.isdir(path.parent):
        raise StreamError(
            f"{path} cannot be written because the folder {path.parent} does not exist. Create it, or choose another "
            "file."
        )
    if os.path.isdir(path):
        raise StreamError(f"{path} is a folder. Choose the name of a file.")

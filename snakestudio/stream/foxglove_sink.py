"""A server for Foxglove and other programs with its protocol (Lichtblick, PlotJuggler, clients of the SDK).

Topics and types of numbers, poses and the log are those of a run file, so that the same layout shows
files and live runs; `/scene` and `/contacts` are for 3D views. The server runs in threads of the SDK.
Each client has its own queue, which drops the oldest message when it is full, so that a client that
does not read cannot block the stream.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from snakestudio.drawing.quaternion import between
from snakestudio.drawing.style import DARK, Colour
from snakestudio.errors import StreamError
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts
from snakestudio.runfile.mcap.definitions import LOG_MESSAGE
from snakestudio.runfile.mcap.format import LOG, nanoseconds
from snakestudio.runfile.mcap.notes import log_message
from snakestudio.runfile.mcap.views import WORLD
from snakestudio.stream.sampler import Layout, Sample
from snakestudio.stream.solids import (
    ALONG_X,
    Capsule,
    Solids,
    Surface,
    arrow_scale,
    contact_arrows,
    solids_of,
)
from snakestudio.stream.target import Target

SCENE = "/scene"
CONTACTS = "/contacts"
"""Topics that do not occur in run files."""

BACKLOG = 256
"""Largest number of pending messages per client: about one second."""

MOST_TRIANGLES = 200_000
"""Largest number of triangles of uneven ground; more take seconds to send and draw."""

_SHAFT = 0.006
_TIP = 0.012
"""Diameters of an arrow's shaft and tip, m."""

_AGAIN_S = 0.25

_SDK = "foxglove"
"""Logger by which the SDK reports that the queue of a client is full."""

_MISSING = (
    "Streaming to Foxglove, Lichtblick and PlotJuggler needs the package foxglove-sdk. "
    'Install it with: pip install "snakestudio[stream]"'
)


class FoxgloveSink:
    """A server that starts when it is created.

    Raises `StreamError` if the package is missing, or the address cannot be opened.

    Parameters
    ----------
    on_note : callable
        Called with messages for the user, on any thread.
    """

    def __init__(self, target: Target, on_note: Callable[[str], None]) -> None:
        try:
            self._foxglove: Any = import_module("foxglove")
            self._messages: Any = import_module("foxglove.messages")
            channels: Any = import_module("foxglove.channels")
        except ImportError:
            raise StreamError(_MISSING) from None
        self._on_note = on_note
        self._listener = _Listener()
        self._slow = _SlowClients(on_note)
        self._slow.attach()
        self._context = self._foxglove.Context()
        self._server: Any = None
        try:
            self._server = self._foxglove.start_server(
                name="SnakeStudio",
                host=target.host,
                port=target.port,
                capabilities=[self._foxglove.websocket.Capability.Time],
                server_listener=self._listener,
                context=self._context,
                message_backlog_size=BACKLOG,
            )
        except (RuntimeError, OSError, ValueError) as error:
            self._slow.detach()
            raise StreamError(
                f"{target.address} cannot be opened for a stream: {_reason(error)}"
            ) from None
        host = f"[{target.host}]" if ":" in target.host else target.host
        self.address = f"ws://{host}:{self._server.port}"
        self._channels: dict[str, tuple[tuple[str, str], Any]] = {}
        self._scene = channels.SceneUpdateChannel(SCENE, context=self._context)
        self._contacts = channels.SceneUpdateChannel(CONTACTS, context=self._context)
        self._solids: Solids | None = None
        self._log = self._channel(LOG, LOG_MESSAGE)

    @property
    def clients(self) -> int:
        """Number of clients with a subscription."""
        return self._listener.clients

    def has_newcomers(self) -> bool:
        """Return whether a client subscribed since the last call."""
        return self._listener.has_newcomers()

    def publish(self, sample: Sample, newcomers: bool) -> None:
        """Send a sample to all subscribers; with `newcomers`, include data that others already have."""
        # A new run needs no new session: clients recognize it by the time, which jumps back. Some clients
        # lose the types of topics with the session.
        self._advertise(sample.layout)
        stamp = int(nanoseconds(sample.row.time)[0])
        self._server.broadcast_time(stamp)
        if sample.new_scene:
            self._solids = None
        if (newcomers or self._solids is None) and self._scene.has_sinks():
            self._scene.log(self._scene_update(sample, stamp), log_time=stamp)
        for view in sample.layout.views.views:
            channel = self._channels[view.topic][1]
            if channel.has_sinks():
                channel.log(view.message(sample.row, sample.figures), log_time=stamp)
        if self._contacts.has_sinks():
            self._contacts.log(self._contacts_update(sample, stamp), log_time=stamp)
        for event in sample.events:
            self._log.log(log_message(event), log_time=int(nanoseconds(np.array([event.time]))[0]))

    def close(self) -> None:
        """Stop the server and close all connections."""
        if self._server is not None:
            self._server.stop()
            self._server = None
            self._slow.detach()

    def abandon(self) -> None:
        """Do nothing: the SDK's threads end with the program."""

    # --- topics

    def _channel(self, topic: str, definition: tuple[str, str]) -> Any:
        schema = self._foxglove.Schema(
            name=definition[0], encoding="ros2msg", data=definition[1].encode()
        )
        channel = self._foxglove.Channel(
            topic, schema=schema, message_encoding="cdr", context=self._context
        )
        self._channels[topic] = definition, channel
        return channel

    def _advertise(self, layout: Layout) -> None:
        """Advertise exactly the topics of this run, each with its type."""
        definitions = {view.topic: view.definition for view in layout.views.views} | {
            LOG: LOG_MESSAGE
        }
        for topic, (definition, channel) in list(self._channels.items()):
            if definitions.get(topic) != definition:
                channel.close()
                del self._channels[topic]
        for topic, definition in definitions.items():
            if topic not in self._channels:
                self._channel(topic, definition)

    # --- 3D views

    def _scene_update(self, sample: Sample, stamp: int) -> Any:
        if self._solids is None:
            layout = sample.layout
            self._solids = solids_of(
                layout.scene, layout.schema, sample.snapshot.link_pose, layout.base_dir
            )
        m = self._messages
        solids = self._solids
        entities = [
            self._entity(each.frame, each.frame, stamp, **self._capsule(each))
            for each in solids.links
        ]
        x, y = solids.floor.centre
        floor = m.CubePrimitive(
            pose=self._pose((x, y, -0.001)),
            size=m.Vector3(x=solids.floor.size[0], y=solids.floor.size[1], z=0.002),
            color=self._colour(solids.floor.colour),
        )
        entities.append(self._entity("ground", solids.frame, stamp, cubes=[floor]))
        posts = [
            m.CylinderPrimitive(
                pose=self._pose((post.x, post.y, 0.5 * post.height)),
                size=m.Vector3(x=2 * post.radius, y=2 * post.radius, z=post.height),
                bottom_scale=1.0,
                top_scale=1.0,
                color=self._colour(solids.post_colour),
            )
            for post in solids.posts
        ]
        count = sum(len(surface.triangles) for surface in solids.surfaces)
        if count > MOST_TRIANGLES:
            self._on_note(
                f"Uneven ground with {count} triangles is too fine for the stream and is omitted from {SCENE}. "
                "Reduce the number of points of its height map to include it."
            )
        surfaces = (
            [self._triangles(surface) for surface in solids.surfaces]
            if count <= MOST_TRIANGLES
            else []
        )
        entities.append(
            self._entity("obstacles", solids.frame, stamp, cylinders=posts, triangles=surfaces)
        )
        everything = m.SceneEntityDeletion(
            timestamp=self._time(stamp), type=m.SceneEntityDeletionType.All
        )
        return m.SceneUpdate(deletions=[everything], entities=entities)

    def _capsule(self, capsule: Capsule) -> dict[str, Any]:
        m = self._messages
        colour = self._colour(capsule.colour)
        wide = 2 * capsule.radius
        ends = [capsule.middle - capsule.half_length, capsule.middle + capsule.half_length]
        spheres = [
            m.SpherePrimitive(
                pose=self._pose((x, 0.0, 0.0)), size=m.Vector3(x=wide, y=wide, z=wide), color=colour
            )
            for x in (ends if capsule.half_length > 0 else ends[:1])
        ]
        if capsule.half_length <= 0:
            return {"spheres": spheres}
        cylinder = m.CylinderPrimitive(
            pose=self._pose((capsule.middle, 0.0, 0.0), ALONG_X),
            size=m.Vector3(x=wide, y=wide, z=2 * capsule.half_length),
            bottom_scale=1.0,
            top_scale=1.0,
            color=colour,
        )
        return {"spheres": spheres, "cylinders": [cylinder]}

    def _triangles(self, surface: Surface) -> Any:
        m = self._messages
        points = [m.Point3(x=x, y=y, z=z) for x, y, z in surface.points.tolist()]
        return m.TriangleListPrimitive(
            pose=self._pose((0.0, 0.0, 0.0)),
            points=points,
            indices=surface.triangles.ravel().tolist(),
            color=self._colour(surface.colour),
        )

    def _contacts_update(self, sample: Sample, stamp: int) -> Any:
        contacts = sample.snapshot.contacts
        scene = sample.layout.scene
        arrows = self._arrows(contacts, scene, normal=True) + self._arrows(
            contacts, scene, normal=False
        )
        return self._messages.SceneUpdate(
            entities=[self._entity("contacts", WORLD, stamp, arrows=arrows)]
        )

    def _arrows(self, contacts: Contacts, scene: Scene, normal: bool) -> list[Any]:
        m = self._messages
        force = contacts.force_normal if normal else contacts.force_friction
        begin, vector = contact_arrows(contacts.point, force, arrow_scale(scene))
        length = np.linalg.norm(vector, axis=1)
        turn = between(vector / length[:, None])
        colour = self._colour(DARK.force if normal else DARK.friction)
        return [
            m.ArrowPrimitive(
                pose=self._pose((at[0], at[1], at[2]), (q[0], q[1], q[2], q[3])),
                shaft_length=max(each - _TIP, 0.0),
                shaft_diameter=_SHAFT,
                head_length=min(each, _TIP),
                head_diameter=_TIP,
                color=colour,
            )
            for at, q, each in zip(begin.tolist(), turn.tolist(), length.tolist(), strict=True)
        ]

    # --- parts of messages

    def _entity(self, name: str, frame: str, stamp: int, **solids: Any) -> Any:
        return self._messages.SceneEntity(
            timestamp=self._time(stamp), frame_id=frame, id=name, frame_locked=True, **solids
        )

    def _time(self, stamp: int) -> Any:
        seconds, nanos = divmod(stamp, 1_000_000_000)
        return self._messages.Timestamp(sec=seconds, nsec=nanos)

    def _colour(self, colour: Colour) -> Any:
        return self._messages.Color(r=colour[0], g=colour[1], b=colour[2], a=1.0)

    def _pose(
        self,
        at: tuple[float, float, float],
        turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0),
    ) -> Any:
        m = self._messages
        w, x, y, z = turn
        return m.Pose(
            position=m.Vector3(x=at[0], y=at[1], z=at[2]),
            orientation=m.Quaternion(x=x, y=y, z=z, w=w),
        )


class _Listener:
    """Counts subscriptions; called on threads of the SDK."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._topics: dict[int, int] = {}
        self._newcomers = False
        # time at which new clients are served again, s: the SDK may report them before it sends to them
        self._again = math.inf

    @property
    def clients(self) -> int:
        with self._lock:
            return len(self._topics)

    def has_newcomers(self) -> bool:
        with self._lock:
            newcomers = self._newcomers
            self._newcomers = False
            if time.monotonic() >= self._again:
                newcomers = True
                self._again = math.inf
            return newcomers

    def on_subscribe(self, client: Any, channel: Any) -> None:
        with self._lock:
            self._topics[client.id] = self._topics.get(client.id, 0) + 1
            self._newcomers = True
            self._again = time.monotonic() + _AGAIN_S

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        with self._lock:
            left = self._topics.get(client.id, 0) - 1
            if left > 0:
                self._topics[client.id] = left
            else:
                self._topics.pop(client.id, None)


class _SlowClients(logging.Handler):
    """Reports each client whose queue is full once; the SDK only logs it."""

    def __init__(self, on_note: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._on_note = on_note
        self._known: set[str] = set()

    def attach(self) -> None:
        logger = logging.getLogger(_SDK)
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        logger.propagate = False  # a client that disconnects is not an error

    def detach(self) -> None:
        logging.getLogger(_SDK).removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if not (text.startswith("outbox for client ") and text.endswith(" full")):
            return
        client = text.removeprefix("outbox for client ").removesuffix(" full")
        if client not in self._known:
            self._known.add(client)
            self._on_note(
                f"The client {client} of the stream does not keep up. Its oldest pending messages are dropped."
            )


def _reason(error: Exception) -> str:
    """Return the reason why an address cannot be opened, and the remedy."""
    text = str(error)
    if "in use" in text:
        return "another program uses the port. Choose another port, or end that program."
    if "assign requested address" in text:
        return "it is not an address of this computer. Use one of its addresses, or only the port."
    if "lookup" in text:
        return "the host is unknown. Use an address of this computer, or only the port."
    if "ermission" in text:
        return "the system does not allow it. Choose a port above 1023."
    return f"{text.rpartition(': ')[2].rstrip('.')}. Choose another address or port."

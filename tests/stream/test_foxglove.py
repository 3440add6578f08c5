"""The server for Foxglove, read by a client written from the specification and decoded with independent tools."""

from __future__ import annotations

import logging
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2._dynamic import generate_dynamic

from snakestudio.errors import StreamError
from snakestudio.export.mcap import write_mcap
from snakestudio.model.columns import table
from snakestudio.model.edits import with_values
from snakestudio.model.events import RunEvent
from snakestudio.model.recording import Recording
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Fields
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from snakestudio.stream import foxglove_sink
from snakestudio.stream.foxglove_sink import BACKLOG, FoxgloveSink
from snakestudio.stream.publisher import Stream
from snakestudio.stream.sampler import StreamSource
from snakestudio.stream.target import Target, parse_target
from tests.session.rows import SCENE, SCHEMA, make_rows
from tests.stream.foxglove_client import FoxgloveClient, Message
from tests.stream.protobuf import doubles, fields, nested

_QUEUE_FULL = "does not keep up. Its oldest pending messages are dropped."


@pytest.fixture(scope="module")
def recording() -> RunRecording:
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    return run_offline(with_values(scene, {"run.duration_s": 0.5})).recording


class Feed:
    """Returns a row of a recording."""

    def __init__(self, recording: Recording, index: int = 0) -> None:
        self.recording = recording
        self.index = index

    def __call__(self) -> StreamSource:
        return StreamSource(self.recording, self.index)


class Served:
    """A stream with a client subscribed to every channel."""

    def __init__(self, feed: Feed, *, by_hand: bool = False) -> None:
        self.notes: list[str] = []
        self.last: dict[str, Message] = {}
        self.feed = feed
        sink = FoxgloveSink(Target(port=0), self.notes.append)
        self.port = int(sink.address.rpartition(":")[2])
        self.stream = Stream(sink, feed, 200.0, self.notes.append, threaded=not by_hand)
        self.client = FoxgloveClient(self.port, subscribe=not by_hand)

    def messages(self, index: int, *topics: str) -> dict[str, Message]:
        """Return the messages of a row by topic."""
        self.feed.index = index
        stamp = round(self.feed.recording.times[index] * 1e9)
        messages: dict[str, Message] = {}
        while not set(topics) <= set(messages):
            message = self.client.next_message()
            self.last[message.topic] = message
            if message.time_ns == stamp:
                messages[message.topic] = message
        return messages

    def decoded(self, message: Message) -> Any:
        channel = self.client.channels[message.topic]
        assert channel["encoding"] == "cdr"
        return generate_dynamic(channel["schemaName"], channel["schema"])[channel["schemaName"]](
            message.data
        )


@contextmanager
def served(feed: Feed, *, by_hand: bool = False) -> Iterator[Served]:
    running = Served(feed, by_hand=by_hand)
    try:
        yield running
    finally:
        running.client.close()
        running.stream.close()
    assert not running.stream.trouble


def test_messages_have_the_values_of_the_run(recording: RunRecording) -> None:
    index = next(i for i in range(20, len(recording)) if len(recording.snapshot(i).contacts))
    snapshot = recording.snapshot(index)
    with served(Feed(recording, index - 1)) as server:
        server.messages(index - 1, "/figures", "/scene", "/tf")
        messages = server.messages(
            index,
            "/tf",
            "/joint_states",
            "/joint_references",
            "/head_pose",
            "/figures",
            "/contacts",
        )
        joints = server.decoded(messages["/joint_states"])
        transforms = server.decoded(messages["/tf"]).transforms
        figures = server.decoded(messages["/figures"])
        references = server.decoded(messages["/joint_references"])
    assert joints.name == [axis.name for axis in recording.schema.axes]
    assert np.array_equal(joints.position, snapshot.joint_angle)
    assert np.array_equal(joints.velocity, snapshot.joint_rate)
    assert np.array_equal(joints.effort, snapshot.joint_torque)
    assert np.array_equal(references.position, snapshot.joint_angle_ref)
    assert [each.child_frame_id for each in transforms] == [
        f"link_{i + 1}" for i in range(recording.schema.n_links)
    ]
    for each, pose in zip(transforms, snapshot.link_pose, strict=True):
        at = each.transform.translation
        turn = each.transform.rotation
        assert [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z] == pose.tolist()
    names = ("com_x_m", "contact_obstacle_fx_n", "energy_kinetic_j")
    rows = np.concatenate(list(table(recording, names)))
    assert [getattr(figures, name) for name in names] == pytest.approx(
        rows[index].tolist(), rel=1e-12
    )
    arrows = nested(messages["/contacts"].data, 2, 7)
    begins = np.array([doubles(nested(arrow, 1, 1)[0], 3) for arrow in arrows])
    assert len(arrows)
    assert all(
        np.abs(snapshot.contacts.point - begin).max(axis=1).min() < 1e-12 for begin in begins
    )


def test_scene_has_robot_obstacles_and_ground_in_their_frames(recording: RunRecording) -> None:
    with served(Feed(recording)) as server:
        entities = nested(server.messages(0, "/scene")["/scene"].data, 2)
    by_name = {fields(each)[3][0]: each for each in entities}
    assert set(by_name) == {
        b"ground",
        b"obstacles",
        *(b"link_%d" % (i + 1) for i in range(recording.schema.n_links)),
    }
    assert fields(by_name[b"link_3"])[2] == [b"link_3"]
    assert fields(by_name[b"ground"])[2] == [b"world"]
    posts = [doubles(nested(each, 1, 1)[0], 2) for each in nested(by_name[b"obstacles"], 10)]
    assert posts == [[post.x_m, post.y_m] for post in recording.scene.obstacles]
    (shell,) = nested(by_name[b"link_3"], 10)
    link = recording.scene.robot.links[2]
    size = [2 * link.radius, 2 * link.radius, 2 * link.contact_half_length]
    assert doubles(nested(shell, 2)[0], 3) == pytest.approx(size)


def test_too_fine_ground_is_omitted_with_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stairs = with_values(load_scene(scenes_dir() / "stairs.toml"), {"run.duration_s": 0.02})
    climbed = run_offline(stairs).recording
    with served(Feed(climbed)) as server:
        grounds = nested(server.messages(0, "/scene")["/scene"].data, 2, 12)
    assert len(nested(grounds[0], 2)) > 8
    assert not server.notes
    monkeypatch.setattr(foxglove_sink, "MOST_TRIANGLES", 5)
    with served(Feed(climbed)) as server:
        assert not nested(server.messages(0, "/scene")["/scene"].data, 2, 12)
    assert any("fine" in note for note in server.notes)


def test_topics_and_types_equal_those_of_a_run_file(
    recording: RunRecording, tmp_path: Path
) -> None:
    write_mcap(tmp_path / "run.mcap", recording)
    with (tmp_path / "run.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    in_file = {}
    for channel in summary.channels.values():
        schema = summary.schemas[channel.schema_id]
        in_file[channel.topic] = schema.name, schema.data.decode(), channel.message_encoding
    with served(Feed(recording)) as server:
        server.messages(0, "/tf", "/figures")
        live = {
            topic: (channel["schemaName"], channel["schema"], channel["encoding"])
            for topic, channel in server.client.channels.items()
        }
    shared = set(live) - {"/scene", "/contacts"}
    assert shared == {each for each in in_file if not each.startswith("/snakestudio/")}
    assert {topic: live[topic] for topic in shared} == {topic: in_file[topic] for topic in shared}


def test_client_joining_a_paused_run_gets_everything(recording: RunRecording) -> None:
    with served(Feed(recording, 5)) as server:
        server.messages(5, "/scene", "/tf")
        late = FoxgloveClient(server.port)
        topics = set()
        while not {"/scene", "/tf", "/joint_states"} <= topics:
            topics.add(late.next_message().topic)
        late.close()


def test_client_that_reads_nothing_blocks_no_one(recording: RunRecording) -> None:
    with served(Feed(recording, 3), by_hand=True) as server:
        server.stream.tick()
        server.client.await_channels("/tf", "/scene", "/contacts", "/figures")
        server.client.subscribe([channel["id"] for channel in server.client.channels.values()])

        def send() -> None:
            server.feed.index = (server.feed.index + 1) % len(recording)
            server.stream.tick()

        for _ in range(20 * BACKLOG):  # more than its queue and the buffers of the system hold
            send()
        reader = FoxgloveClient(server.port)
        reader.await_channels("/tf")
        while server.stream.clients < 2:
            time.sleep(0.001)
        for _ in range(300):
            send()
            reader.next_message("/figures")
        reader.close()


def test_client_with_a_full_queue_is_named_once(recording: RunRecording) -> None:
    """The SDK reports it only in its log, and not in each case."""
    with served(Feed(recording)) as server:
        for _ in range(2):
            logging.getLogger("foxglove.websocket").info("outbox for client 10.0.0.7:9 full")
        (note,) = [note for note in server.notes if _QUEUE_FULL in note]
    assert "10.0.0.7:9" in note


def test_vanished_client_does_not_disturb_others(recording: RunRecording) -> None:
    with served(Feed(recording)) as server:
        server.messages(0, "/tf")
        other = FoxgloveClient(server.port)
        other.await_channels("/tf", "/scene")
        while server.stream.clients < 2:
            time.sleep(0.001)
        other.vanish()
        messages = server.messages(7, "/joint_states")
        assert np.array_equal(
            server.decoded(messages["/joint_states"]).position, recording.snapshot(7).joint_angle
        )
        while server.stream.clients > 1:
            time.sleep(0.001)


def test_another_run_resets_the_time_and_the_topics(recording: RunRecording) -> None:
    other = RunRecording(SCENE, replace(SCHEMA, valid=Fields.JOINTS | Fields.SHAPE))
    other.append(make_rows(0, 4))
    other.add_event(RunEvent(0.02, "fault", "Node 3 stopped."))
    with served(Feed(recording)) as server:
        server.messages(0, "/tf", "/head_pose")
        server.messages(40, "/tf")
        server.feed.index = 3
        server.feed.recording = other
        messages = server.messages(3, "/joint_states", "/tf")
        joints = server.decoded(messages["/joint_states"])
        transforms = server.decoded(messages["/tf"]).transforms
        event = server.last.get("/events")
        if event is None or event.time_ns != 20_000_000:
            event = server.client.next_message("/events")
        log = server.decoded(event)
        assert len(server.client.sessions) == 1
        server.client.await_earlier_time()
    assert joints.name == ["joint_1_yaw", "joint_2_yaw"]
    assert {each.header.frame_id for each in transforms} == {"robot"}
    assert (log.level, log.msg) == (40, "Node 3 stopped.")
    other.close()


def test_port_in_use_is_named_with_a_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            StreamError,
            match=f"127.0.0.1:{port} cannot be opened .* another program uses the port",
        ):
            FoxgloveSink(Target(port=port), print)


@pytest.mark.parametrize(
    ("host", "says"),
    [("203.0.113.7", "address"), ("nowhere.invalid", "host is unknown")],
)
def test_foreign_address_is_reported(host: str, says: str) -> None:
    with pytest.raises(StreamError, match=says):
        FoxgloveSink(parse_target(f"{host}:0"), print)


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "foxglove", None)
    with pytest.raises(StreamError, match=r'pip install "snakestudio\[stream\]"'):
        FoxgloveSink(Target(port=0), print)

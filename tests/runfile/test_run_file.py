"""Run files: data are read as written, to the bit, by this program and others, however the file ended."""

from __future__ import annotations

import contextlib
import functools
import io
import struct
import tempfile
from collections import Counter
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import mcap.writer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from snakestudio.errors import RunFileError
from snakestudio.model.columns import column_names, table
from snakestudio.model.edits import with_values
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.recording import Rows
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import Origin, RunFile, open_run, read_info
from snakestudio.runfile.mcap import format as names
from snakestudio.runfile.mcap.blocks import Columns, decode, decode_head, encode
from snakestudio.runfile.mcap.cdr import HEADER, MESSAGE_HEAD
from snakestudio.runfile.mcap.index import Index
from snakestudio.runfile.mcap.writer import RunWriter
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from tests.session.rows import SCENE, SCHEMA, assert_equal, make_rows
from tests.waiting import until

SCENES = sorted(path.stem for path in scenes_dir().glob("*.toml"))


def same_bits(rows: Rows, expected: Rows) -> None:
    """`assert_equal` treats 0.0 and -0.0 as equal; this compares the bytes."""
    assert_equal(rows, expected)
    for actual, reference in ((rows, expected), (rows.contacts, expected.contacts)):
        for name in (field.name for field in fields(reference) if field.name != "contacts"):
            assert getattr(actual, name).dtype == getattr(reference, name).dtype, name
            assert getattr(actual, name).tobytes() == getattr(reference, name).tobytes(), name


def recorded(path: Path, n_rows: int = 300, at_once: int = 100) -> RunRecording:
    """A run of synthetic rows with all contents that a run can have."""
    scene = SCENE.model_copy(update={"title": "A run"})
    recording = RunRecording(scene, SCHEMA, path, origin=Origin("made.toml", path.parent))
    for start in range(0, n_rows, at_once):
        recording.append(make_rows(start, min(start + at_once, n_rows)))
    later = with_values(recording.scene, {"gait.amplitude_deg": 33.0})
    recording.add_change(1.0, {"gait.amplitude_deg": 32.0}, later)
    recording.add_change(1.0, {"gait.amplitude_deg": 33.0}, later)
    recording.add_event(RunEvent(1 / 3, "impact", "Glied 3 stößt an", 0.1))
    recording.add_event(RunEvent(2.5, "jam", ""))
    for k in range(3):
        recording.add_checkpoint(0.7 * k, bytes([k]) * 1000)
    recording.close()
    assert recording.trouble == ""
    return recording


@functools.cache
def file_of_a_run() -> bytes:
    """The file of such a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.mcap")
        recorded(path)
        return path.read_bytes()


@pytest.fixture(scope="module")
def complete() -> bytes:
    return file_of_a_run()


@pytest.fixture(scope="module")
def cut_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cut")


few = settings(max_examples=settings.default.max_examples // 3)
"""Every example writes and opens a file."""


# --- reading back


@given(st.integers(1, 30), st.integers(0, 2**32 - 1), st.booleans())
def test_block_is_read_back_to_the_bit(n_rows: int, seed: int, contacts: bool) -> None:
    chance = np.random.default_rng(seed)
    rows = make_rows(0, n_rows)
    if not contacts:
        rows = replace(rows, contacts=type(rows.contacts).none(n_rows))
    # Any bits are a number: infinities, signed zeros and every kind of NaN are among them.
    rows = replace(
        rows,
        link_pose=chance.integers(0, 256, (n_rows, 3, 56), np.uint8).view(np.float64),
        steps=chance.integers(-(2**63), 2**63 - 1, n_rows),
        extra=np.array([np.nan, -0.0, np.inf, 5e-324])[None, : seed % 5].repeat(n_rows, 0),
    )
    columns = Columns.of(rows)
    record = encode(columns, rows, 1234567890123, 1, 2, 3)
    body = np.frombuffer(record, np.uint8)[MESSAGE_HEAD.size + len(HEADER) :]
    same_bits(decode(columns, body.copy()), rows)
    head = decode_head(body)
    assert head is not None
    assert head[0] == 1234567890123
    np.testing.assert_array_equal(head[1], rows.time)
    assert Columns.from_plain(columns.plain()) == columns


@pytest.mark.parametrize("kind", SCENES)
def test_run_of_every_scene_is_read_back_to_the_bit(kind: str, tmp_path: Path) -> None:
    scene = with_values(load_scene(scenes_dir() / f"{kind}.toml"), {"run.duration_s": 0.1})
    path = tmp_path / "run.mcap"
    done = run_offline(scene, scenes_dir(), path=path, scene_file=f"{kind}.toml")
    assert done.recording.trouble == ""
    expected = done.recording.rows(0, len(done.recording))
    with open_run(path) as run:
        same_bits(run.rows(0, len(run)), expected)
        assert run.scene == scene
        assert run.schema == done.recording.schema
        assert run.base_dir == scenes_dir()
        assert (run.info.model, run.info.scene_file) == (scene.model.kind, f"{kind}.toml")
        snapshot = run.snapshot(-1)
        other = done.recording.snapshot(-1)
        np.testing.assert_array_equal(snapshot.contacts.force_normal, other.contacts.force_normal)
    decoded = decoded_messages(path.read_bytes())
    assert ("/joint_states" in decoded) == bool(done.recording.schema.n_joints)
    assert len(decoded["/tf"][0][1].transforms) == done.recording.schema.n_links


def test_data_other_than_rows_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    recording = recorded(path)
    with open_run(path) as run:
        check_notes(run)
        assert run.scene_at(0.5) == recording.scene
        assert run.scene_at(1.0) == recording.scene_at(1.0) != recording.scene
        assert [run.index_at(t) for t in (-1.0, 0.5, 99.0)] == [0, 50, 299]
        assert run.snapshot(7).time == 0.07
    info = read_info(path)
    assert info == run.info
    assert (info.title, info.scene_file, info.rows, info.duration) == (
        "A run",
        "made.toml",
        300,
        2.99,
    )
    assert info.complete
    assert info.size_bytes == path.stat().st_size
    assert timedelta(0) <= datetime.now(UTC) - info.created < timedelta(minutes=1)
    assert recording.checkpoint_before(1.39) == (0.7, b"\1" * 1000)
    assert recording.checkpoint_before(-0.1) is None


def check_notes(run: RunFile) -> None:
    assert run.changes == (Change(1.0, {"gait.amplitude_deg": 33.0}),)
    assert run.events == (
        RunEvent(1 / 3, "impact", "Glied 3 stößt an", 0.1),
        RunEvent(2.5, "jam", ""),
    )
    assert run.checkpoint_before(1.39) == (0.7, b"\1" * 1000)
    assert run.checkpoint_before(-0.1) is None
    assert [time for time, _ in run.checkpoints()] == [0.0, 0.7, 1.4]


def test_origin_of_the_run_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    recorded(path)
    with open_run(path) as run:
        about = run.about
    assert about["format_version"] == str(names.VERSION)
    assert "numba" in about["packages"]
    assert about["machine"]


def test_run_of_one_row_leaves_no_file(tmp_path: Path) -> None:
    recording = RunRecording(SCENE, SCHEMA, tmp_path / "run.mcap")
    recording.append(make_rows(0, 1))
    recording.add_event(RunEvent(0.0, "note", "begun"))
    recording.close()
    assert not list(tmp_path.iterdir())
    assert len(recording.rows(0, 1)) == 1


def test_rows_are_in_the_file_during_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    recording = RunRecording(SCENE, SCHEMA, path, chunk_rows=16)
    recording.append(make_rows(0, 40))
    try:
        assert until(lambda: path.exists() and rows_in(path) == 40), (
            "all of them, also of an incomplete block"
        )
        assert not read_info(path).complete
        recording.append(make_rows(40, 41))
        assert_equal(recording.rows(0, 41), make_rows(0, 41))
    finally:
        recording.close()
    assert read_info(path).complete
    assert rows_in(path) == 41
    with pytest.raises(ValueError, match="closed"):
        recording.append(make_rows(41, 42))


def rows_in(path: Path) -> int:
    try:
        return read_info(path).rows
    except RunFileError:  # not yet written
        return 0


# --- other programs


def decoded_messages(data: bytes) -> dict[str, list[tuple[int, Any]]]:
    messages: dict[str, list[tuple[int, Any]]] = {}
    reader = make_reader(io.BytesIO(data), decoder_factories=[DecoderFactory()], validate_crcs=True)
    for _, channel, message, decoded in reader.iter_decoded_messages():
        messages.setdefault(channel.topic, []).append((message.log_time, decoded))
    return messages


def test_other_programs_read_joints_poses_and_metrics() -> None:
    scene = with_values(load_scene(scenes_dir() / "sidewinding.toml"), {"run.duration_s": 0.2})
    recording = run_offline(scene).recording
    recording.add_event(RunEvent(0.1, "fault", "Something failed"))
    file = io.BytesIO()
    rows = recording.rows(0, 21)
    writer = RunWriter(file, scene, recording.schema, Columns.of(rows), Origin())
    writer.write([rows.slice(0, 13)])  # intervals continue across the end of a block
    writer.write([rows.slice(13, 21)], events=recording.events)
    writer.finish(rows.time)
    decoded = decoded_messages(file.getvalue())
    assert {topic: len(messages) for topic, messages in decoded.items()} == {
        "/snakestudio/rows": 2,
        "/snakestudio/events": 1,
        "/events": 1,
        "/joint_states": 21,
        "/joint_references": 21,
        "/tf": 21,
        "/head_pose": 21,
        "/figures": 21,
    }
    assert [time for time, _ in decoded["/tf"]] == [10_000_000 * k for k in range(21)]
    joints = decoded["/joint_states"][8][1]
    assert joints.header.stamp.nanosec == 80_000_000
    assert joints.name[:3] == ["joint_1_yaw", "joint_1_pitch", "joint_2_yaw"]
    np.testing.assert_array_equal(joints.position, rows.joint_angle[8].ravel())
    np.testing.assert_array_equal(joints.velocity, rows.joint_rate[8].ravel())
    np.testing.assert_array_equal(joints.effort, rows.joint_torque[8].ravel())
    references = decoded["/joint_references"][8][1]
    np.testing.assert_array_equal(references.position, rows.joint_angle_ref[8].ravel())
    assert references.effort == []
    last = decoded["/tf"][20][1].transforms[-1]
    assert (last.child_frame_id, last.header.frame_id) == (f"link_{scene.robot.n_links}", "world")
    position = last.transform.translation
    turn = last.transform.rotation
    np.testing.assert_array_equal([position.x, position.y, position.z], rows.link_pose[20, -1, :3])
    np.testing.assert_array_equal([turn.w, turn.x, turn.y, turn.z], rows.link_pose[20, -1, 3:])
    head = decoded["/head_pose"][12][1].pose
    index = scene.robot.n_links - 1 if scene.robot.head == "last" else 0
    np.testing.assert_array_equal(
        [head.position.x, head.orientation.w], rows.link_pose[12, index, [0, 3]]
    )
    events = [
        name for name in column_names(recording.schema) if hasattr(decoded["/figures"][0][1], name)
    ]
    assert {
        "com_x_m",
        "contact_ground_fz_n",
        "work_friction_j",
        "solver_residual",
        "contacts_closed",
    } <= set(events)
    figures = np.array(
        [[getattr(message, name) for name in events] for _, message in decoded["/figures"]]
    )
    each = np.concatenate(list(table(recording, tuple(events))))
    np.testing.assert_array_equal(figures, each)
    log = decoded["/events"][0][1]
    assert (log.name, log.msg, log.level) == ("fault", "Something failed", 40)
    block = decoded["/snakestudio/rows"][1][1]
    assert block.first_row == 13
    np.testing.assert_array_equal(
        np.reshape(block.link_pose, (-1, 7, 8))[2, 1], rows.link_pose[13:, 2, 1]
    )


def test_libraries_find_chunks_and_attachments(complete: bytes) -> None:
    reader = make_reader(io.BytesIO(complete), validate_crcs=True)
    summary = reader.get_summary()
    assert summary is not None
    assert summary.statistics is not None
    counted = Counter(channel.id for _, channel, _ in reader.iter_messages())
    assert counted == summary.statistics.channel_message_counts
    assert sum(a.name.startswith(names.CHECKPOINT) for a in reader.iter_attachments()) == 3
    assert [entry.name for entry in reader.iter_metadata()] == [names.ABOUT, names.END]


# --- incomplete files


def opened(data: bytes, folder: Path) -> RunFile:
    path = folder / "cut.mcap"
    path.write_bytes(data)
    return open_run(path)


@given(st.floats(0.0, 1.0))
@few
def test_truncated_file_is_read_up_to_its_end(cut_folder: Path, where: float) -> None:
    cut = int(where * (len(file_of_a_run()) - 1))
    if cut < first_block_end():
        with pytest.raises(RunFileError):
            opened(file_of_a_run()[:cut], cut_folder)
        return
    with opened(file_of_a_run()[:cut], cut_folder) as run:
        assert not run.info.complete
        assert len(run) % 100 == 0 or len(run) == 300
        assert_equal(run.rows(0, len(run)), make_rows(0, len(run)))
        assert read_info(run.path) == run.info


@functools.cache
def first_block_end() -> int:
    """Offset of the end of the chunk with the first rows."""
    summary = make_reader(io.BytesIO(file_of_a_run())).get_summary()
    assert summary is not None
    first = min(summary.chunk_indexes, key=lambda index: index.chunk_start_offset)
    return first.chunk_start_offset + first.chunk_length


def test_truncated_file_loses_only_its_end(tmp_path: Path, complete: bytes) -> None:
    with opened(complete[:-1], tmp_path) as run:
        assert not run.info.complete
        check_notes(run)
        assert_equal(run.rows(0, 300), make_rows(0, 300))


@pytest.mark.parametrize("n_rows", [40, names.BLOCK_ROWS, names.MOST_BLOCK_ROWS])
def test_blocks_of_any_size_are_found_without_index(tmp_path: Path, n_rows: int) -> None:
    file = io.BytesIO()
    writer = RunWriter(file, SCENE, SCHEMA, Columns.of(make_rows(0, 1)), Origin())
    writer.write([make_rows(0, n_rows)])
    writer.write([make_rows(n_rows, n_rows + 40)])
    with opened(file.getvalue(), tmp_path) as run:
        same_bits(run.rows(0, len(run)), make_rows(0, n_rows + 40))


def test_zeros_after_a_power_failure_are_not_rows(tmp_path: Path, complete: bytes) -> None:
    end = first_block_end()
    with opened(complete[:end] + bytes(100_000), tmp_path) as run:
        assert len(run) > 0
    torn = complete[: end - 2000] + bytes(2000) + complete[end:-1]
    with pytest.raises(RunFileError, match="no rows"):
        opened(torn, tmp_path)


@given(st.data())
@few
def test_damage_is_reported_or_harmless(cut_folder: Path, data: st.DataObject) -> None:
    damaged = bytearray(file_of_a_run()[:-1] if data.draw(st.booleans()) else file_of_a_run())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] = data.draw(st.integers(0, 255))
    # Any other exception is a bug.
    with contextlib.suppress(RunFileError), opened(bytes(damaged), cut_folder) as run:
        rows = run.rows(0, len(run))
        assert len(rows) == len(run.times)
        assert run.scene_at(9.0).robot == run.scene.robot
        assert all(event.text is not None for event in run.events)
        list(run.checkpoints())


def test_impossible_lengths_allocate_no_memory(tmp_path: Path, complete: bytes) -> None:
    summary = make_reader(io.BytesIO(complete)).get_summary()
    assert summary is not None
    at = min(index.chunk_start_offset for index in summary.chunk_indexes)
    for offset, size in (
        (9 + 16, 2**40),
        (1, 2**62),
        (9 + 32, 2**50),
    ):  # content, record, compressed
        huge = bytearray(complete[:-1])
        huge[at + offset : at + offset + 8] = struct.pack("<Q", size)
        with pytest.raises(RunFileError):
            opened(bytes(huge), tmp_path)
    with pytest.raises(ValueError, match="size"):
        Index.unpacked(
            struct.pack("<I", 0xFD2FB528) + b"\xe0" + struct.pack("<Q", 2**50) + b"\x01\x00\x00",
            1000,
        )


def foreign() -> bytes:
    file = io.BytesIO()
    writer = mcap.writer.Writer(file)
    writer.start("ros2", "other 1.0")
    writer.add_metadata("other", {"a": "b"})
    writer.finish()
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "empty"),
        (b"time_s,link_1_x_m\n0,0\n" * 10, "not an MCAP file"),
        (b"\x89MCAP", "ends.*first"),
        (b"\x89MCAP0\r\n", "ends.*first"),
        (foreign(), "another program"),
    ],
)
def test_file_that_is_not_a_run_is_reported(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(data)
    for read in (open_run, read_info):
        with pytest.raises(RunFileError, match=sentence):
            read(path)


def test_newer_format_is_reported(tmp_path: Path, complete: bytes) -> None:
    mark = b"format_version" + struct.pack("<I", 1)
    newer = complete.replace(mark + str(names.VERSION).encode(), mark + b"9")
    assert newer != complete
    with pytest.raises(RunFileError, match=r"newer.*format"):
        opened(newer, tmp_path)


def test_missing_file_and_folder_are_reported(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="no such file"):
        open_run(tmp_path / "none.mcap")
    with pytest.raises(RunFileError, match="folder"):
        read_info(tmp_path)


# --- a full disk


class SmallDisk(io.BytesIO):
    """A disk with space for some bytes; like real disks it writes the part that fits."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity

    def write(self, data: Any) -> int:
        left = self.capacity - self.tell()
        if left <= 0:
            raise OSError(28, "No space left on device")
        return super().write(bytes(data[:left]))


def test_full_disk_leaves_a_readable_file(tmp_path: Path) -> None:
    disk = SmallDisk(10**6)
    writer = RunWriter(disk, SCENE, SCHEMA, Columns.of(make_rows(0, 1)), Origin())  # type: ignore[arg-type]
    writer.write([make_rows(0, 100)])
    disk.capacity = disk.tell() + 5000
    with pytest.raises(OSError, match="No space"):
        writer.write([make_rows(100, 300)])
    assert writer.n_rows == 100
    with opened(disk.getvalue(), tmp_path) as run:
        assert_equal(run.rows(0, len(run)), make_rows(0, 100))
    disk.capacity += 10**5
    writer.finish(make_rows(0, 100).time)
    with opened(disk.getvalue(), tmp_path) as run:
        assert run.info.complete
        assert len(run) == 100


def test_run_continues_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.mcap"
    recording = RunRecording(SCENE, SCHEMA, path, chunk_rows=100)
    recording.append(make_rows(0, 100))
    assert until(lambda: path.exists() and rows_in(path) == 100)

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RunWriter, "append", full)
    recording.append(make_rows(100, 250))
    assert until(lambda: recording.trouble)
    recording.append(make_rows(250, 1300))  # many more blocks than may wait for a working disk
    recording.close()
    assert recording.trouble.startswith(
        f"{path}: recording stopped at 1.00 s (No space left on device)"
    )
    assert [(event.kind, event.text) for event in recording.events] == [
        ("fault", recording.trouble)
    ]
    assert_equal(recording.rows(0, 1300), make_rows(0, 1300))
    with open_run(path) as run:
        assert_equal(run.rows(0, len(run)), make_rows(0, 100))


def test_impossible_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    recording = RunRecording(SCENE, SCHEMA, tmp_path / "file" / "run.mcap")
    recording.append(make_rows(0, 20))
    recording.close()
    assert "0.00 s" in recording.trouble
    assert_equal(recording.rows(0, 20), make_rows(0, 20))

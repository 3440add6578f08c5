"""Series of plots: peaks are preserved, memory is bounded, forces are differences of impulses."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.model.columns import columns_of
from snakestudio.model.edits import with_values
from snakestudio.model.piece import Piece
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.runfile.recording import RunRecording
from snakestudio.viewmodel.plots import series_cache
from snakestudio.viewmodel.plots.channels import series_of
from snakestudio.viewmodel.plots.pyramid import BLOCK, Pyramid
from snakestudio.viewmodel.plots.series_cache import SeriesCache
from tests.body_recording import make_body_recording
from tests.gui.fake import make_recording, make_rows


@given(
    st.lists(st.integers(1, 700), min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
    st.data(),
)
def test_decimation_keeps_every_peak(pieces: list[int], seed: int, data: st.DataObject) -> None:
    values = np.random.default_rng(seed).standard_cauchy((sum(pieces), 3)).astype(np.float32)
    pyramid = Pyramid(3)
    start = 0
    for piece in pieces:
        pyramid.write(start, values[start : start + piece])
        start += piece
    n = len(values)
    first = data.draw(st.integers(0, n - 1))
    last = data.draw(st.integers(first + 1, n))
    bins = data.draw(st.integers(1, 500))
    envelope = pyramid.envelope(first, last, bins)
    assert len(envelope.row) <= bins + 2
    assert envelope.row[0] <= first
    assert envelope.row[-1] + envelope.stride >= last
    for row, low, high in zip(envelope.row, envelope.low, envelope.high, strict=True):
        part = values[row : row + envelope.stride]
        assert np.array_equal(low, part.min(axis=0))
        assert np.array_equal(high, part.max(axis=0))


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_order_of_writing_does_not_matter(blocks: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.standard_normal((blocks * BLOCK - int(random.integers(0, BLOCK)), 2))
    forwards = Pyramid(2)
    shuffled = Pyramid(2)
    forwards.write(0, values)
    for block in random.permutation(blocks):
        shuffled.write(int(block) * BLOCK, values[block * BLOCK : (block + 1) * BLOCK])
    for bins in (1, 7, 300, 10000):
        a, b = forwards.envelope(0, len(values), bins), shuffled.envelope(0, len(values), bins)
        assert np.array_equal(a.low, b.low)
        assert np.array_equal(a.high, b.high)


def test_memory_is_bounded_and_old_peaks_stay() -> None:
    pyramid = Pyramid(1, limit=4 * 4 * BLOCK)
    n = 200 * BLOCK
    values = np.zeros((BLOCK, 1))
    for start in range(0, n, BLOCK):
        values[17] = start / BLOCK
        pyramid.write(start, values)
        if start == 100 * BLOCK:
            half = pyramid.nbytes
    assert pyramid.nbytes < 1.3 * half
    assert pyramid.nbytes < 9 * 4 * 4 * BLOCK
    complete = pyramid.envelope(0, n, 100)
    assert np.nanmax(complete.high) == 199
    assert np.array_equal(
        complete.high[:40, 0], np.arange(40) * 2 + 1
    )  # each bin contains two blocks
    newest = pyramid.envelope(n - 100, n, 1000)
    assert newest.stride == 1
    old = pyramid.envelope(0, 100, 1000)  # its rows were dropped, but not its peak
    assert old.stride > 1
    assert old.high[0, 0] >= 0.0
    assert pyramid.row(0) is None
    assert pyramid.row(n - BLOCK + 17) is not None


def test_pyramid_stays_within_its_limit() -> None:
    limit = 2**22
    pyramid = Pyramid(4, limit)
    sizes = []
    for block in range(400):
        pyramid.write(block * BLOCK, np.full((BLOCK, 4), block))
        sizes.append(pyramid.nbytes)
    assert max(sizes) <= 1.05 * limit
    assert max(np.diff(sizes)) <= 0.25 * limit, "it grows in small steps"
    pyramid.set_limit(limit // 2)
    assert pyramid.nbytes <= 1.05 * limit / 2
    complete = pyramid.envelope(0, 400 * BLOCK, 400)
    assert np.array_equal(np.nanmax(complete.high, axis=1), np.arange(400))
    assert pyramid.envelope(400 * BLOCK - 100, 400 * BLOCK, 1000).stride == 1


def test_series_share_a_budget_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series_cache, "BUDGET", budget := 6 * 2**20)
    cache = SeriesCache()
    cache.reset(make_recording(Scene(), 30 * BLOCK))
    cache.want(["link_*_speed_mps"])
    pull_all(cache)
    oldest = cache.envelope("link_*_speed_mps", 0, 500, 1000)
    assert oldest is not None
    assert oldest.stride == 1
    cache.want(["link_*_speed_mps", "link_*_x_m", "joint_*_yaw_deg"])
    oldest = cache.envelope("link_*_speed_mps", 0, 500, 1000)
    assert oldest is not None
    assert oldest.stride > 1, "a series that was alone makes space for others"
    pull_all(cache)
    assert cache.nbytes <= budget
    for key in ("link_*_speed_mps", "link_*_x_m", "joint_*_yaw_deg"):
        newest = cache.envelope(key, 30 * BLOCK - 500, 30 * BLOCK, 1000)
        assert newest is not None
        assert newest.stride == 1
    cache.reset(None)
    assert cache.nbytes == 0


def test_bins_do_not_move_with_the_view() -> None:
    pyramid = Pyramid(1)
    pyramid.write(0, np.random.default_rng(1).standard_normal((5000, 1)))
    a, b = pyramid.envelope(1000, 3000, 400), pyramid.envelope(1003, 3003, 400)
    common = np.intersect1d(a.row, b.row)
    assert len(common) > 0.9 * len(a.row)
    assert np.array_equal(a.high[np.isin(a.row, common)], b.high[np.isin(b.row, common)])


def test_forces_are_differences_of_impulses() -> None:
    scene = Scene()
    recording = make_recording(scene, 300)
    rows = recording.rows(0, 300)
    series = series_of("link_*_obstacle_force_n", recording.schema)
    force = series.values(Piece(recording.schema, rows, None))
    assert np.all(force[0] == 0)
    impulse = rows.impulse_obstacle[:, :, 1]
    assert force[200, 4] == pytest.approx((impulse[200, 4] - impulse[199, 4]) / 0.01)
    # An impact between two rows is neither missed nor counted twice: the integral of the force
    # equals the impulse.
    assert np.allclose(force.sum(axis=0) * 0.01, impulse[-1] - impulse[0])
    part = series.values(
        Piece(recording.schema, recording.rows(150, 160), recording.rows(149, 150))
    )
    assert np.allclose(part, force[150:160])


@pytest.mark.parametrize("of", ["links", "body"])
def test_columns_of_a_quantity_do_not_depend_on_blocks(of: str) -> None:
    added = ("heading_rad", "turning_radps", "share")
    make = make_body_recording if of == "body" else partial(make_recording, extra=added)
    recording = make(with_values(Scene(), {"model.kind": "spatial_nonsmooth"}), 120)
    schema = recording.schema
    for key in columns_of(schema).by_key:
        series = series_of(key, schema)
        complete = series.values(Piece(schema, recording.rows(0, 120), None))
        assert complete.shape == (120, len(series.names))
        parts = [
            series.values(
                Piece(schema, recording.rows(a, a + 30), recording.rows(a - 1, a) if a else None)
            )
            for a in range(0, 120, 30)
        ]
        assert np.allclose(np.concatenate(parts), complete, equal_nan=True), key


def pull_all(cache: SeriesCache) -> None:
    while cache.pull(0.01):
        pass


def test_only_new_rows_are_read_newest_first() -> None:
    recording = make_recording(Scene(), 5 * BLOCK + 100)
    read: list[tuple[int, int]] = []

    class Watched:
        schema = recording.schema
        times = recording.times

        def __len__(self) -> int:
            return len(recording)

        def rows(self, start: int, stop: int) -> object:
            read.append((start, stop))
            return recording.rows(start, stop)

        def index_at(self, time: float) -> int:
            return recording.index_at(time)

    cache = SeriesCache()
    cache.reset(Watched())  # type: ignore[arg-type]
    cache.want(["link_*_speed_mps"])
    cache.pull(0.0)
    assert (5 * BLOCK, 5 * BLOCK + 100) in read
    assert cache.filling
    pull_all(cache)
    assert not cache.filling
    blocks = [(a, b) for a, b in read if b - a > 1]
    assert blocks == [
        (5 * BLOCK, 5 * BLOCK + 100),
        *((i * BLOCK, (i + 1) * BLOCK) for i in (4, 3, 2, 1, 0)),
    ]
    read.clear()
    assert not cache.pull(0.01)
    recording.append(make_rows(recording.scene, 5 * BLOCK + 100, 5 * BLOCK + 107))
    assert cache.pull(0.01)
    assert [(a, b) for a, b in read if b - a > 1] == [(5 * BLOCK + 100, 5 * BLOCK + 107)]


def test_channel_shown_later_is_filled() -> None:
    recording = make_recording(Scene(), 3000)
    cache = SeriesCache()
    cache.reset(recording)
    cache.want(["link_*_speed_mps"])
    pull_all(cache)
    assert cache.envelope("energy_kinetic_j", 0, 3000, 100) is None
    cache.want(["link_*_speed_mps", "energy_kinetic_j"])
    pull_all(cache)
    envelope = cache.envelope("energy_kinetic_j", 0, 3000, 3000)
    assert envelope is not None
    assert np.allclose(envelope.low, recording.rows(0, 3000).energy[:, :1], rtol=1e-6)
    cache.want(["energy_kinetic_j"])
    assert cache.envelope("link_*_speed_mps", 0, 3000, 100) is None


def test_values_at_a_row_are_exact_before_filling() -> None:
    recording = make_recording(Scene(), 3000)
    cache = SeriesCache()
    cache.reset(recording)
    cache.want(["joint_*_yaw_deg"])
    early = cache.values_at("joint_*_yaw_deg", 500)
    pull_all(cache)
    late = cache.values_at("joint_*_yaw_deg", 500)
    assert early is not None
    assert late is not None
    assert np.allclose(early, late, atol=1e-4)
    assert early[3] == pytest.approx(np.degrees(recording.rows(500, 501).joint_angle[0, 3]))
    assert cache.values_at("joint_*_yaw_deg", 3000) is None


def test_unknown_values_are_not_stored() -> None:
    scene = Scene()
    recording = RunRecording(
        scene, Schema(scene.robot.n_links, scene.body.axes, (), valid=Fields.JOINTS)
    )
    cache = SeriesCache()
    cache.reset(recording)
    cache.want(["joint_*_yaw_deg", "link_*_obstacle_force_n"])
    assert cache.envelope("link_*_obstacle_force_n", 0, 1, 10) is None


def test_other_recording_starts_empty() -> None:
    cache = SeriesCache()
    cache.reset(make_recording(Scene(), 2000))
    cache.want(["link_*_speed_mps"])
    pull_all(cache)
    second = make_recording(Scene(), 10)
    cache.reset(second)
    pull_all(cache)
    envelope = cache.envelope("link_*_speed_mps", 0, 10, 100)
    assert envelope is not None
    assert len(envelope.row) == 10
    cache.reset(None)
    assert not cache.pull(0.01)

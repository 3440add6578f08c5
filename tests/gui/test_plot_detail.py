"""Old rows that the plots have dropped: read again from the recording while they are visible, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.model.piece import Piece
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.runfile.recording import RunRecording
from snakestudio.viewmodel.plots import detail, series_cache
from snakestudio.viewmodel.plots.channels import catalogue, series_of, signal_key
from snakestudio.viewmodel.plots.content import Content, Curve, custom_view
from snakestudio.viewmodel.plots.pyramid import BLOCK, Pyramid
from snakestudio.viewmodel.plots.series_cache import SeriesCache
from snakestudio.viewmodel.plots.spectrum import Spectra, compose_spectrum
from snakestudio.viewmodel.plots.xy_plot import compose_plane, row_near
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import show_widget

YAW = "joint_*_yaw_deg"
N_ROWS = 20 * BLOCK + 300
BUDGET = 2**20


class Watched:
    """A recording that records which rows are read, and can become unreadable."""

    def __init__(self, recording: RunRecording) -> None:
        self._recording = recording
        self.read: list[tuple[int, int]] = []
        self.damaged = False
        self.scene = recording.scene
        self.schema = recording.schema
        self.times = recording.times
        self.scene_at = recording.scene_at
        self.index_at = recording.index_at

    def __len__(self) -> int:
        return len(self._recording)

    def rows(self, start: int, stop: int) -> Rows:
        """Rows start to stop."""
        if self.damaged:
            raise ValueError("a broken chunk")
        self.read.append((start, stop))
        return self._recording.rows(start, stop)


@pytest.fixture(scope="module")
def run() -> Iterator[RunRecording]:
    """Many more rows than the plots store with the budget of the tests."""
    recording = make_recording(Scene(), N_ROWS)
    yield recording
    recording.close()


@pytest.fixture
def recording(run: RunRecording, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """The run, with a budget that makes the plots drop its first rows."""
    monkeypatch.setattr(series_cache, "BUDGET", BUDGET)
    return Watched(run)


def cache_of(recording: Watched, *keys: str) -> SeriesCache:
    """The plots' cache of a recording whose rows have all been read once."""
    series_cache = SeriesCache()
    series_cache.reset(recording)  # type: ignore[arg-type]
    series_cache.want(keys)
    pull_all(series_cache)
    recording.read.clear()
    return series_cache


def pull_all(series_cache: SeriesCache) -> None:
    while series_cache.pull(0.01) or series_cache.missing:
        pass


def truth(recording: Watched, key: str = YAW) -> np.ndarray:
    rows = recording.rows(0, len(recording))
    return (
        series_of(key, recording.schema)
        .values(Piece(recording.schema, rows, None))
        .astype(np.float32)
    )


def test_visible_old_rows_are_read_again(recording: Watched) -> None:
    series_cache = cache_of(recording, YAW)
    coarse = series_cache.envelope(YAW, 500, 1500, 1000)
    assert coarse is not None
    assert coarse.stride > 1
    assert series_cache.filling
    pull_all(series_cache)
    assert sorted((a, b) for a, b in recording.read if b - a > 1) == [
        (0, BLOCK),
        (BLOCK, 2 * BLOCK),
    ]
    exact = series_cache.envelope(YAW, 500, 1500, 1000)
    assert exact is not None
    assert exact.stride == 1
    assert np.array_equal(exact.row, np.arange(500, 1500))
    assert np.array_equal(exact.low, truth(recording)[500:1500])
    assert np.array_equal(exact.high, exact.low)
    assert not series_cache.pull(0.01)


@pytest.mark.parametrize("start", [0, 2000, N_ROWS - 9000, N_ROWS - 3000])
@pytest.mark.parametrize("rows", [900, 2900])
def test_reread_detail_equals_the_original(recording: Watched, start: int, rows: int) -> None:
    series_cache = cache_of(recording, YAW)
    values = truth(recording)
    complete = Pyramid(values.shape[1], limit=2**27)
    complete.write(0, values)
    for bins in (100, 400, 3000):
        series_cache.show_other_rows()
        series_cache.envelope(YAW, start, start + rows, bins)
        pull_all(series_cache)
        envelope = series_cache.envelope(YAW, start, start + rows, bins)
        expected = complete.envelope(start, start + rows, bins)
        assert envelope is not None
        assert envelope.stride == expected.stride
        assert np.array_equal(envelope.row, expected.row)
        assert np.array_equal(envelope.low, expected.low)
        assert np.array_equal(envelope.high, expected.high)


def test_partly_read_detail_is_shown_with_coarse_bins(recording: Watched) -> None:
    series_cache = cache_of(recording, YAW)
    series_cache.envelope(YAW, 0, 3 * BLOCK, 3 * BLOCK)
    series_cache.pull(0.0)  # one piece, the newest
    envelope = series_cache.envelope(YAW, 0, 3 * BLOCK, 3 * BLOCK)
    assert envelope is not None
    assert envelope.stride == 1
    values = truth(recording)[: 3 * BLOCK]
    assert np.array_equal(envelope.low[2 * BLOCK :], values[2 * BLOCK :])
    assert np.all(envelope.low[: 2 * BLOCK] <= values[: 2 * BLOCK])
    assert np.all(envelope.high[: 2 * BLOCK] >= values[: 2 * BLOCK])
    assert (envelope.high > envelope.low)[: 2 * BLOCK].any()


def test_rows_outside_the_view_are_not_read(recording: Watched) -> None:
    series_cache = cache_of(recording, YAW)
    series_cache.envelope(YAW, 0, 3000, 3000)
    series_cache.show_other_rows()
    assert not series_cache.missing
    assert not series_cache.pull(0.01)
    assert not recording.read


def test_newest_rows_need_no_reading(recording: Watched) -> None:
    series_cache = cache_of(recording, YAW)
    for rows in (100, 1000, 2000):
        series_cache.envelope(YAW, N_ROWS - rows, N_ROWS, 3000)
        series_cache.samples(YAW, N_ROWS - rows, N_ROWS, 1)
    assert not series_cache.missing


def test_very_long_spans_are_not_read_again(
    recording: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detail, "MOST_ROWS", 2 * BLOCK)
    series_cache = cache_of(recording, YAW)
    series_cache.envelope(YAW, 0, 2 * BLOCK + 1, 4000)
    series_cache.samples(YAW, 0, 2 * BLOCK + 1, 1)
    assert not series_cache.missing
    series_cache.envelope(YAW, 0, 2 * BLOCK, 4000)
    assert series_cache.missing == 2 * BLOCK


def test_detail_stays_within_the_budget(recording: Watched) -> None:
    series_cache = cache_of(recording, YAW)
    for start in range(0, 10 * BLOCK, BLOCK):
        series_cache.show_other_rows()
        series_cache.envelope(YAW, start, start + BLOCK, BLOCK)
        pull_all(series_cache)
        assert series_cache.nbytes <= BUDGET
        envelope = series_cache.envelope(YAW, start, start + BLOCK, BLOCK)
        assert envelope is not None
        assert envelope.stride == 1
    # Rows that do not fit stay coarse, and are not read repeatedly.
    series_cache.show_other_rows()
    series_cache.envelope(YAW, 0, 10 * BLOCK, 10 * BLOCK)
    assert not series_cache.missing
    series_cache.want([])
    assert series_cache.nbytes == 0


def test_damaged_run_file_is_reported_once(recording: Watched) -> None:
    series_cache = cache_of(recording, YAW)
    recording.damaged = True
    series_cache.envelope(YAW, 0, 1000, 1000)
    pull_all(series_cache)
    (problem,) = series_cache.problems
    assert "a broken chunk" in problem
    series_cache.envelope(YAW, 0, 1000, 1000)
    assert not series_cache.missing


def test_old_rows_of_a_derived_channel_are_recomputed(recording: Watched) -> None:
    key = signal_key("twice", "2 * joint_4_yaw_rad")
    yaw = "joint_4_yaw_rad"
    series_cache = cache_of(recording, key, *(f"joint_{i}_yaw_rad" for i in range(1, 11)))
    series_cache.envelope(key, 100, 1100, 2000)
    pull_all(series_cache)
    envelope = series_cache.envelope(key, 100, 1100, 2000)
    assert envelope is not None
    assert envelope.stride == 1
    assert np.allclose(envelope.low, 2 * truth(recording, yaw)[100:1100], rtol=1e-6)
    value = series_cache.values_at(key, 300)
    assert value is not None
    assert value[0] == pytest.approx(2 * truth(recording, yaw)[300, 0])
    series_cache.close()


def test_failed_derived_channel_is_not_read_further(recording: Watched) -> None:
    key = signal_key("twice", "2 * joint_4_yaw_rad")
    series_cache = cache_of(recording, key, *(f"joint_{i}_yaw_rad" for i in range(1, 11)))
    recording.damaged = True
    for _ in range(2):
        series_cache.envelope(key, 100, 1100, 2000)
        pull_all(series_cache)
    (problem,) = series_cache.problems
    assert "a broken chunk" in problem
    series_cache.close()


@pytest.mark.gui
def test_panel_reads_the_rows_in_its_view(
    qtbot: QtBot, document: Document, run: RunRecording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series_cache, "BUDGET", BUDGET)
    panel = PlotPanel(FakeSessionController(run), document, contents=[Content.of_view("joint", 3)])  # type: ignore[arg-type]
    show_widget(qtbot, panel, 900, 300)
    qtbot.waitUntil(lambda: not panel.series_cache.missing and panel.settled)
    panel.set_view(5.0, 7.0)
    panel.draw_now()
    assert panel.plots[0].chart.data.stride > 1
    qtbot.waitUntil(lambda: not panel.series_cache.missing and panel.settled)
    assert panel.plots[0].chart.data.stride == 1
    panel.set_view(30.0, 32.0)
    panel.draw_now()
    panel.set_view(204.0, 205.0)  # none of these rows is needed any more
    assert not panel.series_cache.missing


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=10), st.integers(0, 9), st.data())
def test_samples_equal_rows(pieces: list[int], exponent: int, data: st.DataObject) -> None:
    n = sum(pieces)
    stride = 1 << exponent
    values = np.random.default_rng(n).standard_normal((n, 2)).astype(np.float32)
    pyramid = Pyramid(2, limit=1)
    for stop, piece in zip(np.cumsum(pieces), pieces, strict=True):
        pyramid.write(int(stop) - piece, values[int(stop) - piece : int(stop)])
    start = data.draw(st.integers(0, n - 1))
    samples = pyramid.samples(start, n, stride)
    assert np.array_equal(samples.values, values[samples.row])
    assert np.all(samples.row % stride == 0)
    assert np.all(np.diff(samples.row) > 0)
    first = max(start, pyramid.reach(stride))
    assert np.array_equal(
        samples.row[samples.row >= first], np.arange(-(-first // stride) * stride, n, stride)
    )
    if len(samples.row):  # older rows are included, up to eight times as sparse or more
        assert samples.row[0] < start + max(stride, 64)


def test_tracks_show_all_of_the_run(recording: Watched) -> None:
    content = Content.tracks((1, 11))
    view = custom_view(content, catalogue, recording.schema)
    lines = view.lines(recording.schema, 0)
    others = [f"joint_{i}_yaw_rad" for i in range(1, 11)]
    series_cache = cache_of(recording, *(line.series for line in lines), *others)
    picture = compose_plane(view, lines, series_cache, 0.0, 1.0, (400, 300))
    assert not series_cache.missing
    places = recording.rows(0, N_ROWS).link_pose[:, :, :2].astype(np.float32)
    # its first link always moves forwards
    at = np.searchsorted(places[:, 0, 0], picture.traces[0].time)
    assert at[0] == 0
    assert N_ROWS - at[-1] <= 8
    assert len(at) > N_ROWS // 10
    for trace, link in zip(picture.traces, (0, 10), strict=True):
        assert np.array_equal(trace.time, places[at, link, 0])
        assert np.array_equal(trace.low, places[at, link, 1])
    position = float(places[1000, 10, 0]), float(places[1000, 10, 1])
    row = row_near(lines[2:], series_cache, -np.inf, np.inf, position, (1.0, 1.0))
    assert row == 1000


def test_series_of_different_length_are_paired_by_row(recording: Watched) -> None:
    content = Content("xy", curves=(Curve("link_1_y_m", against="link_1_x_m"),), whole=True)
    view = custom_view(content, catalogue, recording.schema)
    x, y = lines = view.lines(recording.schema, 0)
    series_cache = cache_of(recording, x.series, *(f"joint_{i}_yaw_rad" for i in range(1, 11)))
    series_cache.want([x.series, y.series])  # the second series has more memory from the start
    pull_all(series_cache)
    across, upwards = (
        series_cache.samples(line.series, 0, N_ROWS, 1, whole_run=True) for line in lines
    )
    assert across is not None
    assert upwards is not None
    assert len(across.row) < len(upwards.row)
    (trace,) = compose_plane(view, lines, series_cache, 0.0, 1.0, (400, 300)).traces
    places = recording.rows(0, N_ROWS).link_pose[:, 0, :2].astype(np.float32)
    at = np.searchsorted(places[:, 0], trace.time)
    assert at[0] == 0
    assert np.array_equal(trace.time, places[at, 0])
    assert np.array_equal(trace.low, places[at, 1])


def test_xy_plot_of_old_rows_is_exact(recording: Watched) -> None:
    content = Content("xy", curves=(Curve("link_1_y_m", against="link_1_x_m"),))
    view = custom_view(content, catalogue, recording.schema)
    lines = view.lines(recording.schema, 0)
    series_cache = cache_of(
        recording, *(line.series for line in lines), *(f"joint_{i}_yaw_rad" for i in range(1, 11))
    )
    compose_plane(view, lines, series_cache, 1.0, 9.0, (400, 300))
    assert series_cache.missing
    pull_all(series_cache)
    (trace,) = compose_plane(view, lines, series_cache, 1.0, 9.0, (400, 300)).traces
    pose = recording.rows(100, 901).link_pose[:, 0].astype(np.float32)
    assert np.array_equal(trace.time, pose[:, 0])
    assert np.array_equal(trace.low, pose[:, 1])


def test_spectrum_of_old_rows_uses_all_of_them(recording: Watched) -> None:
    content = Content("spectrum", curves=(Curve("joint_4_yaw_rad"),))
    view = custom_view(content, catalogue, recording.schema)
    lines = view.lines(recording.schema, 0)
    series_cache = cache_of(
        recording, lines[0].series, *(f"joint_{i}_yaw_rad" for i in range(1, 11))
    )
    spectra = Spectra()
    before = compose_spectrum(view, lines, series_cache, spectra, 5.0, 30.0)
    assert not before.traces
    assert before.note.startswith("Reading")
    pull_all(series_cache)
    (trace,) = compose_spectrum(view, lines, series_cache, spectra, 5.0, 30.0).traces
    complete = SeriesCache()
    complete.reset(make_recording(Scene(), 3200))
    complete.want([lines[0].series])
    pull_all(complete)
    (expected,) = compose_spectrum(view, lines, complete, Spectra(), 5.0, 30.0).traces
    assert np.array_equal(trace.time, expected.time)
    assert np.allclose(trace.low, expected.low, rtol=1e-5, atol=1e-9)

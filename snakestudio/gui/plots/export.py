"""Export of what a plot shows: the picture as PNG or SVG, the recorded values of the stretch seen as CSV."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol, TextIO

import numpy as np
from PySide6.QtCore import QBuffer, QObject, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMessageBox, QProgressDialog, QWidget

from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.gui.charts.chart import Chart
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.model.atomic import Partial, replacing, write_atomically
from snakestudio.model.recording import Schema
from snakestudio.viewmodel.plots.channels import series_of
from snakestudio.viewmodel.plots.chart_data import ChartData
from snakestudio.viewmodel.plots.content import Content
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.pyramid import BLOCK
from snakestudio.viewmodel.plots.series_cache import SeriesCache, Source
from snakestudio.viewmodel.plots.span_values import curve_table

__all__ = ["CsvExport", "PlotExporter", "save_png", "save_profile", "save_spectrum", "save_svg"]


class ShownPlot(Protocol):
    """A plot, as far as it is exported."""

    @property
    def chart(self) -> Chart: ...

    @property
    def content(self) -> Content: ...

    @property
    def view(self) -> PlotType: ...

    @property
    def title(self) -> str: ...

    @property
    def instant(self) -> str: ...

    @property
    def lines(self) -> list[CurveSpec]: ...

    @property
    def overlaid(self) -> Sequence[tuple[Overlay, Sequence[CurveSpec]]]: ...


_MARGIN = 8


def _paint_all(painter: QPainter, size: QSize, chart: Chart, title: str) -> None:
    painter.fillRect(0, 0, size.width(), size.height(), theme.colour("panel"))
    chart.paint_for_export(painter, QRectF(_MARGIN, _MARGIN, chart.width(), chart.height()), title)


def _page(chart: Chart) -> QSize:
    return QSize(chart.width() + 2 * _MARGIN, chart.height() + 2 * _MARGIN)


def save_png(path: Path, chart: Chart, title: str, scale: float = 2.0) -> None:
    """Write what a chart shows, with `scale` pixels for each of the screen's.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    size = _page(chart)
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(theme.current().panel))
    painter = QPainter(image)
    _paint_all(painter, size, chart, title)
    painter.end()
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    _keep(path, "picture", bytes(buffer.data().data()))


def save_svg(path: Path, chart: Chart, title: str) -> None:
    """Write what a chart shows as vectors.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    size = _page(chart)
    generator = QSvgGenerator()
    buffer = QBuffer()  # what a disk refuses, Qt keeps to itself
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setResolution(chart.logicalDpiX())
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    generator.setDescription(f"SnakeStudio {__version__}")
    painter = QPainter(generator)
    _paint_all(painter, size, chart, title)
    painter.end()
    _keep(path, "picture", bytes(buffer.data().data()))


def _keep(path: Path, what: str, data: bytes) -> None:
    try:
        write_atomically(path, data)
    except OSError as error:
        raise _not_kept(path, what, error) from error


def _not_kept(path: Path, what: str, error: OSError) -> OSError:
    remedy = "choose another folder or free some space"
    return OSError(f"{path}: the {what} cannot be written ({error.strerror or error}); {remedy}.")


def save_profile(path: Path, picture: ChartData, lines: list[CurveSpec], schema: Schema, title: str) -> None:
    """Write the profile that a chart shows: abscissas from the head, and the run's own values there.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    own = picture.traces[: len(lines)]
    names = [series_of(line.series, schema).names[0].removeprefix("section_1_") for line in lines]
    table = np.stack([own[0].time, *(trace.low for trace in own)], axis=1)
    head = f"# SnakeStudio {__version__}\n# {title}\n" + ",".join(["x_m", *names]) + "\n"
    _write(path, head, table)


def _write(path: Path, head: str, table: FloatArray) -> None:
    text = head + "".join(",".join(map(_text, row)) + "\n" for row in table.tolist())
    _keep(path, "data", text.encode())


def save_spectrum(path: Path, picture: ChartData, lines: Sequence[CurveSpec], schema: Schema, title: str) -> None:
    """Write the spectra that a chart shows: frequencies and amplitudes, those of other runs after the run's own.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    decades = picture.axes[0].decades
    names = [*_names(schema, lines), *(f"other_{i + 1}" for i in range(len(picture.traces) - len(lines)))]
    frequency = max((trace.time for trace in picture.traces), key=len)
    columns = [frequency]
    for trace in picture.traces:
        sizes = 10.0**trace.low if decades else trace.low
        columns.append(np.interp(frequency, trace.time, sizes, right=np.nan))
    head = f"# SnakeStudio {__version__}\n# {title}: amplitudes\n" + ",".join(["frequency_hz", *names]) + "\n"
    _write(path, head, np.stack(columns, axis=1))


def _names(schema: Schema, lines: Sequence[CurveSpec]) -> list[str]:
    return [series_of(line.series, schema).names[line.column] for line in lines]


def _text(value: float) -> str:
    return "" if math.isnan(value) else repr(value)


def _at_times(recording: Source, lines: Sequence[CurveSpec], times: FloatArray) -> list[FloatArray]:
    """Curves of another run at some times (s), NaN where it was not recorded."""
    theirs = recording.times
    first = max(0, int(np.searchsorted(theirs, times[0])) - 1)
    last = min(len(theirs), int(np.searchsorted(theirs, times[-1])) + 1)
    if last <= first:
        return [np.full(len(times), np.nan) for _ in lines]
    table = next(curve_table(recording, lines, first, last, last - first))
    near = 1e-9 * max(1.0, abs(float(times[-1])))
    outside = (times < theirs[0] - near) | (times > theirs[-1] + near)
    found = []
    for column in table.T:
        values = np.interp(times, theirs[first:last], column)
        values[outside] = np.nan
        found.append(values)
    return found


class CsvExport(QObject):
    """Writes the recorded rows of some curves, a block at a time between other events, so that the window stays alive.

    Parameters
    ----------
    path : Path
    recording : Source
    lines : list of CurveSpec
    start, stop : float
        Stretch of time, s.
    title : str
    parent : QObject
    overlaid : sequence of (Overlay, sequence of Line)
        Curves of other runs: columns of their own, headed by the run's name and a dot; empty where it had ended.
    other : Source, optional
        What derived channels call the other run.

    Signals
    -------
    progress(share: float)
        Finished fraction.
    done(problem: str)
        The end; a sentence if it failed.
    """

    progress = Signal(float)
    done = Signal(str)

    def __init__(
        self,
        path: Path,
        recording: Source,
        lines: list[CurveSpec],
        start: float,
        stop: float,
        title: str,
        parent: QObject,
        overlaid: Sequence[tuple[Overlay, Sequence[CurveSpec]]] = (),
        other: Source | None = None,
    ) -> None:
        super().__init__(parent)
        self._path, self._recording = path, recording
        self._lines = list(dict.fromkeys(lines))
        self._other = other
        self._overlaid = [(overlay.run, list(dict.fromkeys(over))) for overlay, over in overlaid if over]
        times = recording.times
        self._first = int(np.searchsorted(times, start - 1e-9))
        self._stop = int(np.searchsorted(times, stop + 1e-9))
        self._next = self._first
        names = _names(recording.schema, self._lines)
        for run, over in self._overlaid:
            prefix = re.sub(r"\W+", "_", run.name).strip("_").lower() or "other"
            names += [f"{prefix}.{name}" for name in _names(run.recording.schema, over)]
        said = "# Other runs: values at the times of this one, linearly between their rows\n" if self._overlaid else ""
        self._head = f"# SnakeStudio {__version__}\n# {title}\n{said}" + ",".join(["time_s", *names]) + "\n"
        self._writing = ExitStack()
        self._partial: Partial | None = None
        self._file: TextIO | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._step)

    def begin(self) -> None:
        """Start writing."""
        try:
            self._partial = self._writing.enter_context(replacing(self._path))
            self._file = self._partial.path.open("w", encoding="utf-8", newline="\n")
            self._file.write(self._head)
        except OSError as error:
            self._end(error)
            return
        self._timer.start()

    def cancel(self) -> None:
        """Stop and leave no file."""
        self._timer.stop()
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # a full disk, once more
                file.close()
        if self._partial is not None:
            self._partial.keep = False
        self._writing.close()

    def _step(self) -> None:
        assert self._file is not None
        try:
            if self._next < self._stop:
                self._write_block(self._file)
                self.progress.emit((self._next - self._first) / max(1, self._stop - self._first))
                return
            file, self._file = self._file, None
            file.close()
            self._writing.close()
        except OSError as error:
            self._end(error)
            return
        self._end(None)

    def _write_block(self, file: TextIO) -> None:
        start, stop = self._next, min(self._stop, self._next // BLOCK * BLOCK + BLOCK)
        times = self._recording.times[start:stop]
        columns = [times, *next(curve_table(self._recording, self._lines, start, stop, stop - start, self._other)).T]
        for run, over in self._overlaid:
            columns += _at_times(run.recording, over, times)
        table = np.stack(columns, axis=1)
        file.write("\n".join(",".join(map(_text, row)) for row in table.tolist()) + "\n")
        self._next = stop

    def _end(self, error: OSError | None) -> None:
        self._timer.stop()
        if error is None:
            self.done.emit("")
            return
        self.cancel()
        self.done.emit(str(_not_kept(self._path, "data", error)))


class PlotExporter(QObject):
    """Exports what plots show, one at a time.

    Parameters
    ----------
    history : SeriesCache
    window : QWidget
        Parent of dialogs.
    """

    def __init__(self, history: SeriesCache, window: QWidget) -> None:
        super().__init__(window)
        self._history, self._window = history, window
        self._job: CsvExport | None = None

    @property
    def busy(self) -> bool:
        """Whether an export is under way."""
        return self._job is not None

    def ask(self, plot: ShownPlot, kind: str, run: str, start: float, stop: float) -> None:
        """Ask for a file, suggested after the run's name, and write what a plot shows as .csv, .png or .svg."""
        path = ask_save(
            self._window,
            f"Export {plot.title}",
            FileKind.CSV if kind == "csv" else FileKind.FIGURES,
            f"{Path(run).stem}_{plot.content.view or plot.content.kind}.{kind}",
            f"{kind.upper()} (*.{kind})",
        )
        if path is not None:
            self.export(plot, path, start, stop)

    def export(self, plot: ShownPlot, path: Path, start: float, stop: float) -> None:
        """Write what a plot shows from start to stop (s) as the file's ending says: .csv, .png or .svg."""
        chart = plot.chart
        try:
            if path.suffix.lower() == ".svg":
                save_svg(path, chart, plot.title)
            elif path.suffix.lower() == ".png":
                save_png(path, chart, plot.title)
            elif plot.view.style == "profile":
                if self._history.recording is not None and plot.chart.picture.traces:
                    save_profile(path, plot.chart.picture, plot.lines, self._history.recording.schema, plot.instant)
            elif plot.view.style == "spectrum":
                if self._history.recording is not None and plot.chart.picture.traces:
                    save_spectrum(path, plot.chart.picture, plot.lines, self._history.recording.schema, plot.title)
            else:
                self._export_csv(plot, path, start, stop)
        except OSError as error:
            self._say(str(error))

    def _export_csv(self, plot: ShownPlot, path: Path, start: float, stop: float) -> None:
        recording = self._history.recording
        if recording is None or not len(recording) or self._job is not None:
            return
        dialog = QProgressDialog(f"Exporting {plot.title} ...", "Cancel", 0, 1000, self._window)
        dialog.setMinimumDuration(500)
        dialog.setAutoReset(False)
        if plot.view.whole:
            start, stop = float(recording.times[0]), float(recording.times[-1])
        job = CsvExport(path, recording, plot.lines, start, stop, plot.title, self, plot.overlaid, self._history.other)

        def finish(problem: str) -> None:
            self._job = None
            job.deleteLater()
            dialog.deleteLater()
            if problem:
                self._say(problem)

        def cancel() -> None:
            job.cancel()
            finish("")

        job.progress.connect(lambda share: dialog.setValue(int(999 * share)))
        job.done.connect(finish)
        dialog.canceled.connect(cancel)
        self._job = job
        job.begin()

    def _say(self, problem: str) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, "Export", problem, QMessageBox.StandardButton.Ok, self._window)
        box.open()

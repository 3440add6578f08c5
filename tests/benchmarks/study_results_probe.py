"""Ten thousand finished runs in the window, on the screen of the environment: sorted, brushed, hovered; prints JSON."""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPointF
from PySide6.QtWidgets import QApplication

from snakestudio.gui.core import theme
from snakestudio.gui.study.results.view import StudyResultsView
from snakestudio.study.evaluate import Trace
from snakestudio.study.results import Table
from snakestudio.study.store import Store
from snakestudio.study.study_file import parse_study
from tests.study.made_up import UNITS, made_up_study, write_store

RUNS = 10_000
WARM = 100
BRUSHES = 1000


def resident() -> float:
    """Memory of this process, MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def pictures(app: QApplication, change: Callable[[int], None], count: int) -> tuple[float, float]:
    """Repeat a change, each painted before the next: changes per second, and processor time of a frame, ms."""
    began = time.perf_counter()
    used = time.process_time()
    for number in range(count):
        change(number)
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
    used = time.process_time() - used
    return count / (time.perf_counter() - began), 1000.0 * used / count


def settle(app: QApplication, seconds: float) -> float:
    """Run the event loop until everything is drawn: the longest stall of the window, ms."""
    end = time.perf_counter() + seconds
    longest = 0.0
    while time.perf_counter() < end:
        before = time.perf_counter()
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
        longest = max(longest, time.perf_counter() - before)
        time.sleep(0.001)
    return 1000.0 * longest


def main() -> None:
    """Measure and print."""
    sys.setswitchinterval(0.0001)  # as in the program
    app = QApplication([])
    theme.apply(app, "dark")
    results: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made_up.results"
        vary = ("amplitude", "phase", "friction", "across", "frequency")
        write_store(path, made_up_study(vary, 2, True, f'kind = "random"\npoints = {RUNS}'))
        with Store(path) as store:
            study = parse_study(store.about()["study"])
            began = time.perf_counter()
            table = Table(study, store.results())
            results["read"] = 1000.0 * (time.perf_counter() - began)
            view = StudyResultsView()
            view.resize(1600, 900)

            def trace(key: str) -> Trace | None:
                data = store.trace(key)
                return None if data is None else Trace.unpacked(data)

            view.show_table(table, UNITS, trace)
            for name in ("Map", "Scatter", "Parallel"):
                view.show_chart(name)
            view.show()
            settle(app, 0.5)
            results["charts"] = len(view.shown_charts)
            began = time.perf_counter()
            view.show_table(table, UNITS, trace)
            app.processEvents()
            results["landed"] = 1000.0 * (time.perf_counter() - began)
            names = list(view.linked.results.columns)
            results["sort"], results["sort_cost"] = pictures(
                app, lambda k: view.linked.sort(names[k % len(names)], k % 2 == 0), 100
            )
            results["sift"], results["sift_cost"] = pictures(
                app,
                lambda k: view.filter.setText(
                    f"net_speed > {0.002 * k:.3f} and gait.amplitude_deg < 40"
                ),
                100,
            )
            view.filter.setText("")
            chart = view.parallel.chart
            area = chart.area
            x = chart.axis_x(0)

            def brush(number: int) -> None:
                """Move a quarter of an axis up and down like the mouse, and the ends of others."""
                fraction = abs((number % 200) / 100 - 1.0)
                low = QPointF(x, area.bottom() - 0.75 * fraction * area.height())
                chart.drag(low, QPointF(x, low.y() - 0.25 * area.height()))

            view.linked.hold(True)
            results["brush"], results["brush_cost"] = pictures(app, brush, WARM)
            view.linked.hold(False)
            results["settled"] = settle(app, 0.5)
            gc.collect()
            tracemalloc.start()
            before = resident()
            held = tracemalloc.get_traced_memory()[0]
            view.linked.hold(True)
            pictures(app, brush, BRUSHES)
            view.linked.hold(False)
            settle(app, 0.5)
            gc.collect()
            results["held"] = (tracemalloc.get_traced_memory()[0] - held) / 1e6
            results["resident"] = resident() - before
            tracemalloc.stop()
            chart.drag_ended(QPointF(x, 0.0), QPointF(x, 0.0))
            # all runs: the most lines to draw
            view.linked.brush({"gait.amplitude_deg": (0.0, 100.0)})
            results["all_settled"] = settle(app, 0.6)
            view.linked.hold(True)
            results["brush_all"], results["brush_all_cost"] = pictures(
                app, lambda k: view.linked.brush({"gait.amplitude_deg": (0.0, 100.0 + k)}), 60
            )
            view.linked.hold(False)
            view.linked.clear_brushes()
            settle(app, 0.5)
            scatter = view.scatter.chart
            at = scatter.mapToGlobal

            def hover(number: int) -> None:
                row = 37 * number % RUNS
                position = scatter.position_of(row)
                if position is not None:
                    view.linked.hovered.emit(scatter.row_at(position), at(position.toPoint()))

            results["hover"], results["hover_cost"] = pictures(app, hover, 300)
            view.close()
    print(json.dumps(results))


if __name__ == "__main__":
    main()

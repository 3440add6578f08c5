"""A scene of 2,000 obstacles: time of reading, writing, undoing and describing changes.

Undo is measured twice: of the document alone with references to its obstacles, and in the window
with all panels.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from snakestudio.model.edits import remove_obstacles, with_value
from snakestudio.model.edits.transform import move
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from snakestudio.model.scene_diff import difference_in_words
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.model.scene_file.parse import parse_values
from snakestudio.paths import scenes_dir

Row = tuple[str, object, str, str, bool]

COUNT = 2000
EDITS: dict[str, Callable[[Scene], Scene]] = {
    "moving one": lambda scene: move(scene, [5], (0.1, 0.0, 0.0)),
    "moving all": lambda scene: move(scene, range(len(scene.obstacles)), (0.1, 0.0, 0.0)),
    "deleting 300": lambda scene: remove_obstacles(scene, range(0, 900, 3)),
    "a gait's amplitude": lambda scene: with_value(scene, "gait.amplitude_deg", 33.0),
}


def large_scene() -> Scene:
    """The main scene with a field of pegs."""
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    places = (
        (0.5 * (i % 50) - 12.0, 0.5 * (i // 50) + 2.0) for i in range(COUNT - len(scene.obstacles))
    )
    pegs = (Cylinder(x_m=x, y_m=y, radius_m=0.05) for x, y in places)
    return scene.model_copy(update={"obstacles": (*scene.obstacles, *pegs)})


def timed(work: Callable[[], object], times: int = 5) -> float:
    """Median time of a call, ms."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - started))
    return median(taken)


def file_figures(folder: Path) -> dict[str, float]:
    """Times of reading and writing, ms."""
    path = folder / "large.toml"
    scene = large_scene()
    save_scene(scene, path, base=(scenes_dir() / "obstacle_aided.toml").read_text(encoding="utf-8"))

    def read() -> None:
        parse_values.cache_clear()
        load_scene(path)

    figures = {"load": timed(read)}
    step = 0

    def changed(edit: str) -> Callable[[], None]:
        def write() -> None:
            nonlocal scene, step
            step += 1
            scene = EDITS[edit](with_value(scene, "run.duration_s", 5.0 + 0.1 * step))
            save_scene(scene, path)

        return write

    figures["save after moving one"] = timed(changed("moving one"))
    figures["save after moving all"] = timed(changed("moving all"))
    after = EDITS["deleting 300"](EDITS["moving one"](scene))
    figures["difference in words"] = timed(lambda: difference_in_words(scene, after))
    return figures


def undo_figures() -> dict[str, float]:
    """Times of undoing edits in a window with all its panels, and in the document alone, ms."""
    from PySide6.QtWidgets import QApplication

    from snakestudio.gui.app import make_window
    from snakestudio.gui.core import theme
    from snakestudio.gui.core.document import Document
    from snakestudio.gui.core.selection import Selection
    from snakestudio.gui.viewport.surfaces.surface import set_default_format

    sys.setswitchinterval(0.001)  # as the program does
    set_default_format()
    app = QApplication([])
    theme.apply(app, "dark")
    figures: dict[str, float] = {}

    def measure(document: Document, of: str) -> None:
        for name, edit in EDITS.items():
            taken = []
            for _ in range(5):
                document.edit(edit(document.scene), name)
                app.processEvents()
                taken.append(timed(document.undo_stack.undo, 1))
                app.processEvents()
            figures[f"undo of {name}, {of}"] = median(taken)

    alone = Document()
    selection = Selection(alone)
    alone.new(large_scene())
    selection.set(("obstacle", index) for index in range(0, COUNT, 2))
    measure(alone, "document")
    window = make_window()
    window.show()
    window.context.document.new(large_scene())
    window.context.docks.fill(window.context)
    until = time.monotonic() + 60
    while (
        not (
            window.context.docks.are_filled
            and window.context.session_controller.status.state == "ready"
        )
        and time.monotonic() < until
    ):
        app.processEvents()
        time.sleep(0.01)
    measure(window.context.document, "window")
    window.context.document.undo_stack.setClean()
    window.close()
    return figures


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    from tests.benchmarks.bench_window import screen

    with tempfile.TemporaryDirectory() as folder, screen() as environment:
        figures = file_figures(Path(folder))
        environment |= {"SNAKESTUDIO_STATE_DIR": folder}
        command = [sys.executable, "-m", "tests.benchmarks.bench_editor_files"]
        probe = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    figures |= json.loads(probe.stdout.splitlines()[-1])
    bars = {name: 20.0 if name.startswith("undo") else 1000.0 for name in figures}
    return [
        (f"{name} ({COUNT} obstacles)", ms, "ms", f"< {bars[name]:g}", ms < bars[name])
        for name, ms in figures.items()
    ]


if __name__ == "__main__":
    print(json.dumps(undo_figures()))

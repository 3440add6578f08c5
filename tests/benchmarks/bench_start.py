"""From the start to motion: compilation at a first start, start of an installed wheel, and cost of the baseline.

``SNAKESTUDIO_BENCH_WHEEL`` names a wheel with kernels of this Python; without one it is built, in a
minute. Times of compilation are processor time, because other programs may run on the machine.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from snakestudio import processor
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.paths import scenes_dir
from tests.benchmarks.bench_window import screen, start_times

Row = tuple[str, object, str, str, bool]

ROOT = Path(__file__).resolve().parent.parent.parent
SCENES = {
    "planar_nonsmooth": "obstacle_aided",
    "spatial_nonsmooth": "sidewinding",
    "planar_lagrangian": "lagrangian_undulation",
    "planar_nonholonomic": "jam_resolution",
    "continuum_beam": "continuum_snake_2d",
}
SPEED = {
    "obstacle_aided": 9.0,
    "sidewinding": 10.0,
    "obstacle_aided_3d": 4.0,
    "continuum_snake_3d": 2.0,
}
"""Scenes for comparing the baseline with code for this processor, and simulated times, s."""

EVENTS = """
import sys
import snakestudio as ss
from numba.core import event
class Listener(event.Listener):
    count = 0
    def on_start(self, event): self.count += 1
    def on_end(self, event): pass
listener = Listener()
with event.install_listener("numba:compile", listener):
    for scene in sys.argv[1:]:
        ss.simulate(scene, duration=0.05)
print(listener.count)
"""
STEPS = """
import sys, time
import snakestudio as ss
ss.simulate(sys.argv[1], duration=0.05)
best = float("inf")
for _ in range(5):
    begin = time.process_time()
    ss.simulate(sys.argv[1], duration=float(sys.argv[2]))
    best = min(best, time.process_time() - begin)
print(best)
"""


def compile_seconds(kind: str, folder: Path) -> float:
    """Processor time of compiling an engine into an empty folder, s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "snakestudio", "warm-up", kind],
        env=os.environ
        | {"SNAKESTUDIO_KERNELS_DIR": str(folder), "SNAKESTUDIO_PROCESSOR": "baseline"},
        stdout=subprocess.DEVNULL,
        check=True,
        cwd=ROOT,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def installed(folder: Path) -> Path:
    """Python of an environment with a wheel with kernels, independent of this checkout."""
    named = os.environ.get("SNAKESTUDIO_BENCH_WHEEL")
    if not named:
        subprocess.run(
            [ROOT / "packaging" / "wheel.sh", folder, sys.executable],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (wheel,) = folder.glob(f"*-cp{sys.version_info[0]}{sys.version_info[1]}-*.whl")
        named = str(wheel)
    python = folder / "env" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", named], check=True, stderr=subprocess.DEVNULL
    )
    return python


def wheel_rows() -> list[Row]:
    """First motion from the wheel, in the window, on a machine without data of the program."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="snakestudio-start-") as name, screen() as environment:
        folder = Path(name)
        python = installed(folder)
        for variable in ("PYTHONPATH", "SNAKESTUDIO_CACHE_DIR", "SNAKESTUDIO_KERNELS_DIR"):
            environment.pop(variable, None)

        def away(home: str) -> dict[str, str]:
            return environment | {
                "HOME": str(folder / home),
                "XDG_CONFIG_HOME": str(folder / home / "config"),
            }

        for kind, scene in SCENES.items():
            times = start_times(
                away(kind), python, scenes_dir() / f"{scene}.toml", until="first motion", cwd=folder
            )
            moved = times["first motion"] / 1000
            rows.append(
                (f"wheel: first motion in the window, {kind}", moved, "s", "<= 5", moved <= 5)
            )
        times = start_times(
            away("planar_nonsmooth"), python, scenes_dir() / "obstacle_aided.toml", cwd=folder
        )
        start_s = times["window shown"] / 1000
        rows.append(("wheel: window on screen, warm", start_s, "s", "<= 1.5", start_s <= 1.5))
        events = subprocess.run(
            [python, "-c", EVENTS, *map(str, sorted(scenes_dir().glob("*.toml")))],
            check=True,
            text=True,
            env=away("events"),
            cwd=folder,
            stdout=subprocess.PIPE,
        )
        count = int(events.stdout)
        rows.append(("wheel: functions compiled for all scenes", count, "", "0", count == 0))
        version = []
        for _ in range(7):
            begin = time.perf_counter()
            subprocess.run(
                [python, "-m", "snakestudio", "--version"],
                check=True,
                stdout=subprocess.DEVNULL,
                cwd=folder,
            )
            version.append(time.perf_counter() - begin)
        answer = statistics.median(version)
        rows.append(("wheel: --version", answer, "s", "<= 0.15", answer <= 0.15))
    return rows


def clone_rows() -> list[Row]:
    """Functions compiled in the first checkout on a machine, and in the second."""
    rows: list[Row] = []
    folder = Path(tempfile.mkdtemp(prefix="snakestudio-kernels-"))
    try:
        total = 0.0
        for kind in FORMULATIONS:
            seconds = compile_seconds(kind, folder)
            total += seconds
            rows.append(
                (f"first checkout: compiling {kind}", seconds, "s CPU", "<= 25", seconds <= 25)
            )
        rows.append(
            ("first checkout: compiling all engines", total, "s CPU", "<= 110", total <= 110)
        )
        size = sum(path.stat().st_size for path in folder.rglob("*")) / 1e6
        rows.append(("compiled code of all engines", size, "MB", "", True))
        second = Path(tempfile.mkdtemp(prefix="snakestudio-second-"))
        try:
            shutil.copytree(
                ROOT / "snakestudio",
                second / "snakestudio",
                ignore=shutil.ignore_patterns("__pycache__"),
            )
            for data in ("resources", "scenes"):
                (second / data).symlink_to(ROOT / data)
            done = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    EVENTS,
                    *(str(scenes_dir() / f"{scene}.toml") for scene in SCENES.values()),
                ],
                env=os.environ
                | {"SNAKESTUDIO_KERNELS_DIR": str(folder), "SNAKESTUDIO_PROCESSOR": "baseline"},
                cwd=second,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        finally:
            shutil.rmtree(second)
        count = int(done.stdout)
        rows.append(("second checkout: functions compiled", count, "", "0", count == 0))
    finally:
        shutil.rmtree(folder)
    return rows


def baseline_rows() -> list[Row]:
    """Cost of the baseline on this processor: pairs in turns, the least of five runs each."""
    if processor.target().tuned and not os.environ.get("SNAKESTUDIO_PROCESSOR"):
        return []
    rows: list[Row] = []
    for scene, duration in SPEED.items():
        ratios = []
        for turn in range(5):
            seconds = {}
            for target in ("baseline", "native") if turn % 2 else ("native", "baseline"):
                done = subprocess.run(
                    [
                        sys.executable,
                        "-c",
                        STEPS,
                        str(scenes_dir() / f"{scene}.toml"),
                        str(duration),
                    ],
                    text=True,
                    env=os.environ | {"SNAKESTUDIO_PROCESSOR": target},
                    stdout=subprocess.PIPE,
                    check=True,
                    cwd=ROOT,
                )
                seconds[target] = float(done.stdout)
            ratios.append(seconds["baseline"] / seconds["native"])
        ratio = statistics.median(ratios)
        rows.append((f"baseline / code for this processor, {scene}", ratio, "x", "", True))
    return rows


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    return [*clone_rows(), *wheel_rows(), *baseline_rows()]


if __name__ == "__main__":
    for what, value, unit, bar, ok in run():
        print(f"{'ok  ' if ok else 'MISS'} {what:<56} {value:>9} {unit:<5} {bar}")

"""The whole window on a virtual screen: frame rate while the main scene plays, and start time.

``SNAKESTUDIO_BENCH_SECONDS`` shortens the minute of playing.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from snakestudio.paths import cache_dir, kernels_dir, scenes_dir

Row = tuple[str, object, str, str, bool]

SCENE = scenes_dir() / "obstacle_aided.toml"


@contextlib.contextmanager
def screen() -> Iterator[dict[str, str]]:
    """A virtual screen, as the environment of a program that draws on it."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    settings = tempfile.mkdtemp(prefix="snakestudio-bench-")
    try:
        with os.fdopen(reading) as pipe:
            display = f":{pipe.readline().strip()}"
        environment = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
        environment |= {
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "XDG_CONFIG_HOME": settings,
            # Otherwise an unsaved scene of the user's window would open a dialog, which blocks the
            # window.
            "SNAKESTUDIO_CONFIG_DIR": settings,
            "SNAKESTUDIO_STATE_DIR": str(Path(settings, "state")),
            "SNAKESTUDIO_PROFILES_DIR": str(Path(settings, "profiles")),
            "SNAKESTUDIO_RUNS_DIR": str(Path(settings, "runs")),
            "SNAKESTUDIO_CACHE_DIR": str(cache_dir()),
            "SNAKESTUDIO_KERNELS_DIR": str(kernels_dir()),
        }
        yield environment
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(settings, ignore_errors=True)


def start_times(
    environment: dict[str, str],
    python: str | Path = sys.executable,
    scene: Path = SCENE,
    until: str = "first frame drawn",
    cwd: Path | None = None,
) -> dict[str, float]:
    """Times from the start of the program to events in its window, ms; `until` is the last of them."""
    program = subprocess.Popen(
        [python, "-m", "snakestudio", "--play", str(scene)]
        if until == "first motion"
        else [python, "-m", "snakestudio", str(scene)],
        env=environment | {"SNAKESTUDIO_TRACE_START": "1"},
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
    )
    assert program.stderr is not None
    times: dict[str, float] = {}
    for line in program.stderr:
        if match := re.match(r"start: (.*): (\d+) ms", line):
            times[match[1]] = float(match[2])
        if until in line:
            break
    program.send_signal(signal.SIGINT)
    try:
        program.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        program.kill()
        program.communicate()
    return times


def play(environment: dict[str, str], seconds: float, size: str) -> dict[str, float]:
    """Results of `tests.benchmarks.window_probe` while the scene plays."""
    command = [sys.executable, "-m", "tests.benchmarks.window_probe", str(seconds), size]
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=seconds + 300,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    seconds = float(os.environ.get("SNAKESTUDIO_BENCH_SECONDS", "60"))
    rows: list[Row] = []
    with screen() as environment:
        got = play(environment, seconds, "1280x720")
        rows += [
            (
                "frames a second, window 1280 x 720, four plots",
                got["fps"],
                "1/s",
                ">= 20",
                got["fps"] >= 20,
            ),
            ("stalls of the window's thread, median", got["p50"], "ms", "", True),
            (
                "stalls of the window's thread, 99th percentile",
                got["p99"],
                "ms",
                "<= 50",
                got["p99"] <= 50,
            ),
            ("stalls of the window's thread, longest", got["max"], "ms", "", True),
            (
                "real-time factor while playing",
                got["factor"],
                "x",
                ">= 0.99",
                got["factor"] >= 0.99,
            ),
            ("drawing a frame, median", got["draw"], "ms", "", True),
        ]
        start_times(environment)  # loads the files into the system's cache
        warm = start_times(environment)
        start_s = warm["window shown"] / 1000
        drawn = warm["first frame drawn"] / 1000
        rows.append(("start to window on screen, warm", start_s, "s", "<= 1.5", start_s <= 1.5))
        rows.append(("start to first frame, warm", drawn, "s", "< 3", drawn < 3))
        with tempfile.TemporaryDirectory(prefix="snakestudio-cold-") as cold:
            times = start_times(environment | {"SNAKESTUDIO_KERNELS_DIR": cold})
            time.sleep(0.5)  # the compiler's process ends after the window
        start_s = times["window shown"] / 1000
        rows.append(
            ("start to window on screen, nothing compiled", start_s, "s", "< 3", start_s < 3)
        )
    return rows


if __name__ == "__main__":
    for what, value, unit, bar, ok in run():
        print(f"{'ok  ' if ok else 'MISS'} {what:<56} {value:9.3g} {unit:<5} {bar}")

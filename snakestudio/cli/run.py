"""Run a scene without a window, as fast as it goes, and write what was asked for."""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from snakestudio.errors import PhysicsError, UsageError

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio run`."""
    parser.add_argument("scene", metavar="SCENE", help="scene file, or a CSV of an earlier run to run again")
    parser.add_argument("--duration", metavar="S", type=float, help="simulated time (the scene's own if left out)")
    parser.add_argument(
        "--rate", metavar="HZ", type=float, help="rows a simulated second (the scene's own if left out)"
    )
    parser.add_argument("--csv", metavar="F", type=Path, help="write a CSV")
    parser.add_argument("--video", metavar="F", type=Path, help="write a video (.mp4, .mkv, .webm)")
    parser.add_argument("--fps", metavar="N", type=int, default=30, help="frames a second of the video (30)")
    parser.add_argument("--size", metavar="WxH", default="1280x720", help="size of the video (1280x720)")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="values",
        help="replace a scene value, e.g. --set gait.amplitude_deg=30 (as often as needed)",
    )


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio run`."""
    values = dict(_assignment(text) for text in options.values)
    width, height = _size(options.size)

    from snakestudio import api
    from snakestudio.engines import registry
    from snakestudio.export.encoder import video_path
    from snakestudio.export.video import VideoOptions, write_video

    if options.video is not None:
        # What cannot be written is said before the run, not after it.
        video_path(options.video)
        video = VideoOptions(width=width, height=height, fps=options.fps)
    _same_file(options)
    scene, base_dir, changes = api.prepare(options.scene, options.duration, options.rate, values)
    line = _ProgressLine()
    if not registry.is_warm(scene.model.kind):
        print("compiling the simulation engine (once on this machine, two to three minutes) ...", flush=True)
        report = line.reporter("compiling")

        def compiling(fraction: float, doing: str) -> None:
            report(fraction)

        registry.warm_up(scene.model.kind, compiling)
        line.clear()
    started = time.perf_counter()
    run = api.simulate_scene(
        scene, base_dir, changes, Path(options.scene).name, line.reporter("simulating", scene.run.duration_s)
    )
    line.clear()
    took = time.perf_counter() - started
    simulated = float(run.recording.times[-1])
    last = run.recording.rows(len(run.recording) - 1, len(run.recording))
    unconverged = int(last.solver_unconverged[0])
    worst = f", worst residual {run['solver_residual'].max():.1e}" if unconverged else ""
    print(
        f"{Path(options.scene).name}: {simulated:g} s simulated in {took:.2f} s, "
        f"{int(last.steps[0])} steps, {unconverged} unconverged{worst}"
    )
    if options.csv is not None:
        run.to_csv(options.csv)
        print(f"wrote {options.csv}: {len(run.recording)} rows")
    if options.video is not None:
        written = write_video(
            options.video, run.recording, video, progress=line.reporter("rendering"), base_dir=base_dir
        )
        line.clear()
        print(f"wrote {written}")
    if run.failure:
        raise PhysicsError(run.failure)
    return 0


def _same_file(options: argparse.Namespace) -> None:
    source = Path(options.scene).resolve()
    for path in (options.csv, options.video):
        if path is not None and path.resolve() == source:
            raise UsageError(f"{path} is the scene itself; give another name to write to.")


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise UsageError(f"--size {text}: write it as WIDTHxHEIGHT, like 1280x720.")
    return int(width), int(height)


def _assignment(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {text}: write it as KEY=VALUE, like gait.amplitude_deg=30.")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        if value.strip() and not any(mark in value for mark in "\"'[]{}\n="):
            return key.strip(), value.strip()  # quotes around a text may be left out: the shell eats them anyway
        raise UsageError(
            f"--set {text}: {value!r} is no TOML value; write numbers plainly and texts in quotes."
        ) from None


class _ProgressLine:
    """One line on a terminal that is written over and over; nothing at all elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._next = 0.0

    def reporter(self, doing: str, seconds: float | None = None) -> Any:
        started = time.perf_counter()

        def report(fraction: float) -> bool:
            now = time.perf_counter()
            if self._shown and now >= self._next:
                self._next = now + 0.1
                left = (now - started) * (1 - fraction) / fraction if fraction > 0 else 0.0
                of = f" {fraction * seconds:.1f} of {seconds:g} s," if seconds else ""
                sys.stderr.write(f"\r\x1b[K{doing}:{of} {100 * fraction:.0f} %, {left:.0f} s left")
                sys.stderr.flush()
            return True

        return report

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

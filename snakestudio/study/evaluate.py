"""Work of a worker: runs of a scene with different values, and their measures.

A worker can be on another computer: the scene and the files that it refers to are sent with the
task.
"""

from __future__ import annotations

import hashlib
import logging
import math
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import PluginRuntimeError, SceneError, SignalError
from snakestudio.inputs import local_path
from snakestudio.model.columns import columns_between
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import parse_scene
from snakestudio.plugins.packing import PackedPlugin, use_packed
from snakestudio.runfile.mcap.enclosed import contained_name, named_files
from snakestudio.session.offline import run_while
from snakestudio.session.runner import Runner
from snakestudio.study.goals import measured
from snakestudio.study.run_key import code_hash
from snakestudio.study.store import RunOutcome, State

log = logging.getLogger(__name__)

_TRACK = 96
"""Number of stored points of the path of a run."""


class ForeignCodeError(Exception):
    """Raised when the code of the worker differs; nothing was computed."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Runs that are sent to a worker together."""

    study: str
    """Identifier of the study, for `stop`."""

    scene: str
    """Scene as TOML text."""

    files: Mapping[str, bytes]
    """Contents of the files that the scene refers to, by name."""

    measures: tuple[str, ...]
    """Measures of each run."""

    code: str
    """`code_hash` of the requesting process."""

    runs: tuple[tuple[str, dict[str, Any]], ...]
    """Key and scene values (by scene key) of each run."""

    plugins: tuple[PackedPlugin, ...] = ()
    """Plug-ins that the scene and the measures need."""


_stopped: set[str] = set()
_stopping = threading.Lock()


def stop(study: str) -> None:
    """Stop computing for a study in this process as soon as possible."""
    with _stopping:
        _stopped.add(study)


def is_active(study: str) -> bool:
    """Return whether a study has not been stopped."""
    return study not in _stopped


def evaluate(chunk: Chunk, worker: str = "") -> list[RunOutcome]:
    """Run a chunk; if its study is stopped meanwhile, return the runs finished until then.

    Raises `ForeignCodeError` if the code differs from that of the requesting process.
    """
    if code_hash() != chunk.code:
        raise ForeignCodeError
    use_packed(chunk.plugins)
    scene = _parsed(chunk.scene, tuple(plugin.digest for plugin in chunk.plugins))
    base_dir = unpacked(chunk.files)
    outcomes = []
    for key, values in chunk.runs:
        outcome = _evaluated(key, scene, values, base_dir, chunk, worker)
        if outcome is None:
            break
        outcomes.append(outcome)
    return outcomes


@lru_cache(maxsize=4)
def _parsed(text: str, plugins: tuple[str, ...]) -> Scene:
    """Parse a scene with the kinds of plug-ins, given by their digests."""
    return parse_scene(text)


_folders: dict[str, tuple[tempfile.TemporaryDirectory[str], Path]] = {}


def unpacked(files: Mapping[str, bytes]) -> Path | None:
    """Return the folder with these files, created once per process."""
    if not files:
        return None
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name])
    known = _folders.get(digest.hexdigest())
    if known is None:
        folder = tempfile.TemporaryDirectory(prefix="snakestudio-study-")
        for name, data in files.items():
            target = Path(folder.name) / transfer_name(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        known = _folders[digest.hexdigest()] = folder, Path(folder.name)
    return known[1]


def transfer_name(name: str) -> str:
    """Return the name of a scene's file inside a separate folder; names that would lead out of it are replaced."""
    return contained_name(name, hashlib.sha256(name.encode()).hexdigest())


def _evaluated(
    key: str,
    scene: Scene,
    values: Mapping[str, Any],
    base_dir: Path | None,
    chunk: Chunk,
    worker: str,
) -> RunOutcome | None:
    began = time.perf_counter()

    def without(state: State, sentence: str) -> RunOutcome:
        none = tuple(math.nan for _ in chunk.measures)
        return RunOutcome(key, state, sentence, none, None, time.perf_counter() - began, worker)

    try:
        runner = Runner(with_values(scene, dict(values)) if values else scene, base_dir)
        try:
            failure = run_while(runner, lambda: is_active(chunk.study))
            if failure is None:
                return None
            if failure:
                return without("failed", failure)
            measures = measured(chunk.measures, runner.recording)
            trace = trace_of(runner.recording).packed()
            plausibility = runner.recording.plausibility
        finally:
            runner.recording.close()
    except SceneError as error:
        return without("refused", _first_line(str(error)))
    except (SignalError, PluginRuntimeError) as error:
        return without("failed", str(error))
    except MemoryError:
        return without(
            "killed",
            "There was not enough memory for this run. Free some, or use fewer rows or links.",
        )
    except Exception as error:  # an internal error in one run must not end the others
        log.exception("run %s failed", key)
        return without(
            "failed", f"Internal error: {type(error).__name__}: {_first_line(str(error))}"
        )
    return RunOutcome(
        key, "done", "", measures, trace, time.perf_counter() - began, worker, plausibility
    )


def _first_line(text: str) -> str:
    line, _, more = text.partition("\n")
    return f"{line} (and more)" if more else line


class Trace(NamedTuple):
    """Preview of a run, shown before the run is repeated."""

    track: FloatArray
    """Path of the centre of gravity seen from above, m. Shape (k, 2)."""

    posture: FloatArray
    """Positions of the links, or cross-sections, at the end, m. Shape (n, 3)."""

    def packed(self) -> bytes:
        """Return the trace as bytes: two counts, then single precision (a tenth of a micrometre)."""
        counts = np.array([len(self.track), len(self.posture)], "<u4").tobytes()
        return counts + self.track.astype("<f4").tobytes() + self.posture.astype("<f4").tobytes()

    @classmethod
    def unpacked(cls, data: bytes) -> Trace | None:
        """Read a trace from bytes; None if they are invalid."""
        if len(data) < 8:
            return None
        k, n = (int(count) for count in np.frombuffer(data, "<u4", 2))
        if len(data) != 8 + 8 * k + 12 * n:
            return None
        numbers = np.frombuffer(data, "<f4", offset=8).astype(np.float64)
        return cls(numbers[: 2 * k].reshape(k, 2), numbers[2 * k :].reshape(n, 3))


def trace_of(recording: Recording) -> Trace:
    """Return the trace of a finished run."""
    count = len(recording)
    middle = columns_between(recording, ("com_x_m", "com_y_m"), 0, count)
    chosen = np.unique(np.linspace(0, count - 1, min(count, _TRACK)).round().astype(int))
    last = recording.rows(count - 1, count)
    return Trace(middle[chosen], last.link_pose[0, :, :3].copy())


def files_of(scene: Scene, base_dir: Path | None) -> tuple[Scene, dict[str, bytes]]:
    """Return the scene with file names that fit into any folder, and the contents by these names.

    Raises `SceneError` if one cannot be read.
    """
    files: dict[str, bytes] = {}
    values: dict[str, Any] = {}
    for key, name in named_files(scene):
        try:
            files[transfer_name(name)] = local_path(name, base_dir).read_bytes()
        except OSError as error:
            raise SceneError(
                f'{key} = "{name}" cannot be read ({error.strerror}). Check the path.'
            ) from None
        if transfer_name(name) != name:
            values[key] = transfer_name(name)
    return (with_values(scene, values) if values else scene), files

"""Client of the process that runs cases: prepared once, then queried case by case."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tests.hostile import kinds
from tests.hostile.kinds import KINDS, ROOT, Case, Kind

SLOWEST_S = 10.0
LARGEST_MB = 850
"""Memory in addition to that of all modules."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a case: exit code (negative: ended by a signal), standard error, seconds, megabytes."""

    code: int
    stderr: str
    seconds: float
    megabytes: int

    @property
    def complaint(self) -> str:
        """What is wrong with the result; "" for a success, or for one message and exit 2."""
        if self.code not in (0, 2, 3):
            return f"ended with {self.code}: {self.stderr.strip()[-300:]}"
        if "Traceback" in self.stderr:
            return f"a traceback: {self.stderr.strip()[-300:]}"
        if self.code and not self.stderr.strip():
            return "no message"
        if self.seconds > SLOWEST_S:
            return f"took {self.seconds:.1f} s"
        if self.megabytes > LARGEST_MB:
            return f"took {self.megabytes} MB"
        return ""


class Server:
    """Process with all modules loaded that runs cases in children."""

    def __init__(self, folder: Path) -> None:
        self.materials = folder / "materials"
        self.out = folder / "out"
        self.files = folder / "files"
        for path in (self.materials, self.out, self.files):
            path.mkdir()
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.probe", str(folder / "errors.txt")],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Server:
        try:
            self._prepare()
        except BaseException:
            self._process.communicate()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def ask(self, case: Case) -> Answer:
        """Run a case."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        return Answer(**json.loads(self._process.stdout.readline()))

    def _prepare(self) -> None:
        """Create the prerequisites of valid files; the modules that read them are loaded on the way."""
        little = self.materials / "little.toml"
        little.write_bytes(kinds.SCENE)
        run = [
            "run",
            str(little),
            "--csv",
            str(self.materials / "run.csv"),
            "--mcap",
            str(self.materials / "run.mcap"),
        ]
        assert self.ask({"argv": run, "here": True}).code == 0
        (self.out / "little.toml").write_bytes(kinds.SCENE)
        (self.out / "track.csv").write_bytes(kinds.TRACK)
        write_c3d(self.materials / "track.c3d")
        write_frames(self.materials)
        contents = {
            "call": "tests.hostile.calls:make_results",
            "args": [str(self.materials / "made.study.toml")],
        }
        assert self.ask({**contents, "here": True}).code == 0
        for name, kind in KINDS.items():
            answer = self.ask({**self.sound(kind), "here": True})
            assert answer.code == 0, (name, answer)

    def sound(self, kind: Kind) -> Case:
        """Return the case of a valid file."""
        path = self._place(kind)
        path.write_bytes(kind.sound(self.materials))
        return kind.case(path, self.out)

    def attack(self, kind: Kind, name: str) -> Answer:
        """Run one of the attacks."""
        path = self._place(kind)
        dict(kinds.attacks(kind))[name](path, kind.sound(self.materials))
        return self.ask(kind.case(path, self.out))

    def mutant(self, kind: Kind, seed: int) -> Answer:
        """Run a valid file with some damage."""
        path = self._place(kind)
        path.write_bytes(kinds.mutated(kind.sound(self.materials), seed))
        return self.ask(kind.case(path, self.out))

    def _place(self, kind: Kind) -> Path:
        """Return a folder with only the other files that the file needs."""
        shutil.rmtree(self.files)
        self.files.mkdir()
        os.mkfifo(self.files / "pipe")
        if kind is KINDS["profile"] or kind is KINDS["dbc"]:
            for name in ("lab_robot.toml", "lab_robot.dbc"):
                if name != kind.name:
                    shutil.copy(ROOT / "resources" / "profiles" / name, self.files)
        return self.files / kind.name


def write_frames(folder: Path) -> None:
    """Write some frames with python-can."""
    import can

    for name in ("frames.blf", "frames.asc"):
        with can.Logger(folder / name) as log:
            for i in range(50):
                log.on_message_received(can.Message(i / 100, 0x201, False, data=bytes(range(8))))


def write_c3d(path: Path) -> None:
    """Write two markers over 60 frames with ezc3d."""
    import ezc3d
    import numpy as np

    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [20.0]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["link_1", "Marker"]
    file["parameters"]["POINT"]["UNITS"]["value"] = ["m"]
    points = np.ones((4, 2, 60))
    points[:3] = (
        np.arange(60) * 0.01 + np.arange(2)[:, None] + np.array([0.1, 0.2, 0.3])[:, None, None]
    )
    file["data"]["points"] = points
    file.write(str(path))

"""Test SnakeStudio on systems without `make`, such as Windows and macOS: a wheel, and the tests that need no window.

`elsewhere.py [PYTEST_ARGS]` creates an environment, builds the wheel without compiled kernels, runs
a scene with it, then the tests. It runs on Python 3.11 or newer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = (
    "control",
    "engines",
    "kernels",
    "model",
    "session",
    "test_api.py",
    "test_gaits.py",
    "test_scenes.py",
)
"""Tests that need neither a window nor a bus."""


def run(*command: str | Path, folder: Path = ROOT, **environment: str) -> None:
    """Run a command, or exit with its exit code."""
    print("+", *command, flush=True)
    code = subprocess.run(
        [str(part) for part in command], cwd=folder, env=os.environ | environment, check=False
    ).returncode
    if code:
        sys.exit(code)


def main() -> None:
    """Run all steps."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        work = Path(temporary).resolve()
        venv.create(work / "venv", with_pip=True)
        programs = work / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        python = programs / ("python.exe" if sys.platform == "win32" else "python")
        run(python, "-m", "pip", "install", "-q", "-r", "packaging/requirements-dev.txt")
        run(python, "-m", "hatchling", "build", "-t", "wheel", "-d", work / "wheel")
        (wheel,) = (work / "wheel").glob("*.whl")
        run(python, "-m", "pip", "install", "-q", "--no-deps", wheel)
        snakestudio = programs / "snakestudio"
        scene = ROOT / "scenes" / "lagrangian_undulation.toml"
        run(snakestudio, "--version", folder=work)
        run(snakestudio, "run", scene, "--duration", "0.5", "--csv", work / "run.csv", folder=work)
        tests = [f"tests/{name}" for name in TESTS if (ROOT / "tests" / name).exists()]
        run(
            python,
            "-m",
            "pytest",
            "-n",
            "2",
            "--dist",
            "loadfile",
            "-p",
            "no:xvfb",
            *tests,
            *sys.argv[1:],
        )


if __name__ == "__main__":
    main()

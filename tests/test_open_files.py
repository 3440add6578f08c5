"""A resource that a test leaves open fails the module that leaves it, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CYCLE = """
class Cycle:
    def __init__(self, *held):
        self.held, self.itself = held, self
"""
LEAVING = {
    "a file": "Cycle(open(__file__))",
    "a file of arrays": "np.savez(tmp_path / 'a.npz', a=1); Cycle(np.load(tmp_path / 'a.npz'))",
    "a socket": "Cycle(socket.socket())",
    "an event loop": "Cycle(asyncio.new_event_loop())",
    "an HDF5 file": "Cycle(h5py.File(tmp_path / 'a.h5', 'w'))",
    "a database": "Cycle(sqlite3.connect(tmp_path / 'a.db').execute('pragma user_version'))",
    "a program": "Cycle(subprocess.Popen(['cat'], stdin=subprocess.PIPE))",
    "a traceback": "file = open(__file__)\n    with pytest.raises(OSError) as error: raise OSError",
}
"""Statements of tests that leave something open."""

LAST = {
    "a fixture": "@pytest.fixture\ndef left():\n    return Cycle(open(__file__))\ndef test_last(left): pass",
    "a fixture of the module": "@pytest.fixture(scope='module')\ndef left():\n    return Cycle(open(__file__))\n"
    "def test_last(left): pass",
    "a coroutine": "async def work(): pass\ndef test_last(): Cycle(work())",
}
"""The last tests of a module, which are found at its end."""

IMPORTS = "import asyncio, gc, socket, sqlite3, subprocess\nimport h5py, numpy as np, pytest\n"


def test_open_resources_fail_in_their_module(tmp_path: Path) -> None:
    """For each way to leave it, although the collector would have visited it in the next module."""
    clean = "def test_clean(): gc.collect()\n"
    tests = [
        f"def test_{number}(tmp_path):\n    {statement}\n"
        for number, statement in enumerate(LEAVING.values())
    ]
    modules = {"test_0.py": [*tests, clean]}
    for number, last in enumerate(LAST.values(), 1):
        modules[f"test_{number}.py"] = [f"{last}\n"]
    modules["test_9.py"] = [clean]
    modules["conftest.py"] = ["def pytest_runtest_setup(): gc.disable()\n"]
    for name, parts in modules.items():
        Path(tmp_path, name).write_text(IMPORTS + CYCLE + "\n".join(parts))
    options = ["-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, "-o", f"cache_dir={tmp_path}"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--no-xvfb", *options, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    failed = set(re.findall(r"^ERROR (\S+)", result.stdout, re.MULTILINE))
    expected = {f"test_0.py::test_{number}" for number in range(len(LEAVING))}
    expected |= {f"test_{number}.py::test_last" for number in range(1, len(LAST) + 1)}
    assert {name.split("/")[-1] for name in failed} == expected, result.stdout

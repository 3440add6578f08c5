"""A process ends with its parent."""

from __future__ import annotations

import subprocess
import sys


def test_process_ends_with_its_standard_input() -> None:
    code = "from snakestudio.session.tether import end_with_input; end_with_input(); print(1, flush=True)\nwhile 1: 0"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"1"
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(60.0) == 3

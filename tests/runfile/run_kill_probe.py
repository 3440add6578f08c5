"""Program to be killed: it records rows like a run in real time, for `test_run_file_kills`.

    python -m tests.runfile.run_kill_probe FILE ROWS_AT_ONCE

After appending each row its number and the wall time are printed to the standard output.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from snakestudio.model.events import RunEvent
from snakestudio.runfile.recording import RunRecording
from tests.session.rows import SCENE, SCHEMA, make_rows


def main() -> None:
    """Record until killed: some rows per centisecond, now and then an event and a checkpoint."""
    at_once = int(sys.argv[2])
    recording = RunRecording(SCENE, SCHEMA, Path(sys.argv[1]))
    count = 0
    while True:
        recording.append(make_rows(count, count + at_once))
        count += at_once
        if count % 50 == 0:
            recording.add_event(RunEvent(count / 100, "note", str(count)))
            recording.add_checkpoint(count / 100, str(count).encode())
        print(count, time.time(), flush=True)
        time.sleep(0.01)


if __name__ == "__main__":
    main()

"""Run cases in sequence, each in a child process with limits on memory and time.

Cases arrive on standard input, one JSON line each, and are answered on standard output. A case is a
command line (``argv``) or a call (``call``, as module:function, with ``args``); a call that raises
an error with a message counts as exit 2.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

MORE_MEMORY = 2 * 1024**3
"""Address space of a case, in bytes, in addition to that of the interpreter and the libraries."""

TIME_LIMIT = 60
"""Seconds after which a case is ended; the bar applies to processor time."""


def carry_out(case: dict[str, Any]) -> int:
    """Run a case and return its exit code."""
    from snakestudio.cli import main
    from snakestudio.errors import UserError

    try:
        if "argv" in case:
            return int(main(case["argv"]))
        module, _, name = case["call"].partition(":")
        getattr(importlib.import_module(module), name)(*case["args"])
    except UserError as error:
        print(f"snakestudio: {error}", file=sys.stderr)
        return 2
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def in_child(case: dict[str, Any], errors: Path) -> dict[str, Any]:
    """Run a case in a child and return the result; its memory is that in addition to the start."""
    _, resident, shared, *_ = (
        int(pages) for pages in Path("/proc/self/statm").read_text(encoding="ascii").split()
    )
    loaded = (resident - shared) * resource.getpagesize()
    pid = os.fork()
    if not pid:
        code = 99
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            size = (
                int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
                * resource.getpagesize()
            )
            resource.setrlimit(resource.RLIMIT_AS, (size + MORE_MEMORY, size + MORE_MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(TIME_LIMIT)
            code = carry_out(case)
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
    _, status, usage = os.wait4(pid, 0)
    messages = errors.read_text(encoding="utf-8", errors="replace")
    return {
        "code": os.waitstatus_to_exitcode(status),
        "stderr": messages[-4000:],
        "seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": (1024 * usage.ru_maxrss - loaded) // 2**20,
    }


def serve() -> None:
    """Answer cases until standard input ends; one with ``here`` runs in this process, so that modules stay loaded."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    errors = Path(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        if case.get("here"):
            with contextlib.redirect_stdout(io.StringIO()):
                answer: dict[str, Any] = {
                    "code": carry_out(case),
                    "stderr": "",
                    "seconds": 0.0,
                    "megabytes": 0,
                }
            gc.collect()
            gc.freeze()  # otherwise every child would copy the objects that its collector visits
        else:
            answer = in_child(case, errors)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()

"""Runs cases one after the other, each in a child with limits on memory and time.

What is told on standard input, a case a line in JSON, is answered on standard output. A case is a
command line (``argv``) or a call (``call``, as module:function, with ``args``); a call that ends in
a sentence counts as exit 2.
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
"""Bytes of address space that a case gets on top of what the interpreter and the libraries have."""

TIME_LIMIT = 60
"""Seconds after which a case is ended; what is held against the bar is the processor's time."""


def carry_out(case: dict[str, Any]) -> int:
    """Do what a case says; the exit code."""
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
    """Do it in a child, and say how that went; its memory is what it took on top of what it began with."""
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
    said = errors.read_text(encoding="utf-8", errors="replace")
    return {
        "code": os.waitstatus_to_exitcode(status),
        "said": said[-4000:],
        "seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": (1024 * usage.ru_maxrss - loaded) // 2**20,
    }


def serve() -> None:
    """Answer cases until standard input ends; one with ``here`` is done in this process, so that its modules stay."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    errors = Path(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        if case.get("here"):
            with contextlib.redirect_stdout(io.StringIO()):
                answer: dict[str, Any] = {
                    "code": carry_out(case),
                    "said": "",
                    "seconds": 0.0,
                    "megabytes": 0,
                }
            gc.collect()
            gc.freeze()  # or every child would copy what its collector looks at
        else:
            answer = in_child(case, errors)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()

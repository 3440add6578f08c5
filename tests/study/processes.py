"""Processes and their descendants, from /proc."""

from __future__ import annotations

from pathlib import Path


def descendants(pid: int) -> list[int]:
    """A process and all its descendants."""
    pids = [pid]
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
    for each in pids:
        pids += sorted(child for child, parent in parents.items() if parent == each)
    return pids


def alive(pid: int) -> bool:
    """Whether the process runs: one that only waits for its parent has ended."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

"""Processes and what they have started, by /proc."""

from __future__ import annotations

from pathlib import Path


def descendants(pid: int) -> list[int]:
    """A process and all that it has started."""
    found = [pid]
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
    for each in found:
        found += sorted(child for child, parent in parents.items() if parent == each)
    return found


def alive(pid: int) -> bool:
    """Whether it still computes: one that nobody has asked about yet is over."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

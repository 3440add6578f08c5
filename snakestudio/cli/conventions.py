"""What all commands have in common: exit codes, environment variables and folders; man page and reference show it."""

from __future__ import annotations

from snakestudio.model.documentation import with_section

EXIT_CODES = {
    "0": "Success.",
    "2": "A mistake in what was given: an option, a scene, a profile or another file. One message names it and what"
    " to do.",
    "3": "The simulation failed: it diverged, or a link passed through an obstacle or the ground in one step. What"
    " was recorded is written first.",
    "129": "The terminal was closed. The rows so far are written.",
    "130": "Ctrl+C. The rows so far are written.",
    "143": "SIGTERM. The rows so far are written.",
}

USER_FOLDERS = {
    "~/.local/share/snakestudio": "recorded runs and the user's own robot profiles",
    "~/.local/state/snakestudio": "unsaved scenes, restored after a crash",
    "~/.cache/snakestudio": "compiled engines and other caches",
    "~/.config/snakestudio": "decisions such as which plug-ins are trusted",
    "~/.config/SnakeStudio": "settings of the window",
}

ENVIRONMENT_VARIABLES = {
    "SNAKESTUDIO_CACHE_DIR": "folder for caches, in place of the platform's",
    "SNAKESTUDIO_KERNELS_DIR": "folder for compiled engines, in place of kernels in the cache folder",
    "SNAKESTUDIO_STATE_DIR": "folder for unsaved scenes",
    "SNAKESTUDIO_DATA_DIR": "folder that contains runs and profiles",
    "SNAKESTUDIO_RUNS_DIR": "folder for the runs of the window",
    "SNAKESTUDIO_PROFILES_DIR": "folder for your own robot profiles",
    "SNAKESTUDIO_CONFIG_DIR": "folder for your decisions, such as which plug-ins are trusted",
    "SNAKESTUDIO_PLUGIN_MEMORY_MB": "memory by which a run with plug-ins may grow before it is paused (2000)",
    "SNAKESTUDIO_PROCESSOR": "baseline (the default): the same bits on every processor with AVX2 and FMA; native:"
    " compiled for this processor",
    "SNAKESTUDIO_VIEWPORT": "how the viewport is drawn: direct, threaded, or flat (without OpenGL); by itself if left"
    " out",
    "SNAKESTUDIO_LINK_PRIORITY": "highest priority that the robot link requests from the system: real-time (the"
    " default), nice or normal",
    "SNAKESTUDIO_TRACE_START": "1: the window prints how long each part of its start takes",
    "NO_COLOR": "set to anything: no colours on terminals",
}


def with_conventions(page: str) -> str:
    """A page with exit codes and environment variables between their marks.

    Raises `ValueError` if the page has no such marks.
    """
    page = with_section(page, "exit codes", _table("Code", EXIT_CODES))
    variables = _table("Variable", ENVIRONMENT_VARIABLES)
    return with_section(page, "environment variables", variables)


def _table(head: str, meanings: dict[str, str]) -> str:
    rows = (f"| `{name}` | {meaning} |" for name, meaning in meanings.items())
    return "\n".join((f"| {head} | Meaning |", "| --- | --- |", *rows))

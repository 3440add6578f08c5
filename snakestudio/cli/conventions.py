"""Exit codes, environment variables and folders of all commands, for man page and reference."""

from __future__ import annotations

from snakestudio.model.documentation import with_section

EXIT_CODES = {
    "0": "Success.",
    "2": "Invalid input: an option, a scene, a profile or another file. One message names the problem and the"
    " remedy.",
    "3": "The simulation failed: it diverged, or a link passed through an obstacle or the ground in one step. The"
    " rows recorded so far are written first.",
    "129": "The terminal was closed. The rows recorded so far are written.",
    "130": "Ctrl+C. The rows recorded so far are written.",
    "143": "SIGTERM. The rows recorded so far are written.",
}

USER_FOLDERS = {
    "~/.local/share/snakestudio": "recorded runs and the user's robot profiles",
    "~/.local/state/snakestudio": "unsaved scenes, restored after a crash",
    "~/.cache/snakestudio": "compiled engines and other caches",
    "~/.config/snakestudio": "decisions such as which plug-ins are trusted",
    "~/.config/SnakeStudio": "settings of the window",
}

ENVIRONMENT_VARIABLES = {
    "SNAKESTUDIO_CACHE_DIR": "folder for caches, instead of the platform's",
    "SNAKESTUDIO_KERNELS_DIR": "folder for compiled engines, instead of kernels in the cache folder",
    "SNAKESTUDIO_STATE_DIR": "folder for unsaved scenes",
    "SNAKESTUDIO_DATA_DIR": "folder that contains runs and profiles",
    "SNAKESTUDIO_RUNS_DIR": "folder for the runs of the window",
    "SNAKESTUDIO_PROFILES_DIR": "folder for your robot profiles",
    "SNAKESTUDIO_CONFIG_DIR": "folder for your decisions, such as which plug-ins are trusted",
    "SNAKESTUDIO_PROCESSOR": "baseline (the default): identical results on every processor with AVX2 and FMA; native:"
    " compiled for this processor",
    "SNAKESTUDIO_VIEWPORT": "how the viewport is drawn: direct, threaded, or flat (without OpenGL);"
    " automatic if omitted",
    "SNAKESTUDIO_LINK_PRIORITY": "highest priority that the robot link requests from the system: real-time (the"
    " default), nice or normal",
    "SNAKESTUDIO_TRACE_START": "1: the window prints how long each part of its start takes",
    "NO_COLOR": "any value: no colours on terminals",
}


def with_conventions(page: str) -> str:
    """Return a page with exit codes and environment variables inserted between their marks.

    Raises `ValueError` if the page lacks the marks.
    """
    page = with_section(page, "exit codes", _table("Code", EXIT_CODES))
    variables = _table("Variable", ENVIRONMENT_VARIABLES)
    return with_section(page, "environment variables", variables)


def _table(head: str, meanings: dict[str, str]) -> str:
    rows = (f"| `{name}` | {meaning} |" for name, meaning in meanings.items())
    return "\n".join((f"| {head} | Meaning |", "| --- | --- |", *rows))

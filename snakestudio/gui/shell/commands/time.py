"""The Time menu: looking back, playing what is recorded, and going on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakestudio.gui.shell.commands.command import Command, line

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["TIME"]


def _has_rows(w: MainWindow) -> bool:
    return w.bridge.recording is not None


def _has_events(w: MainWindow) -> bool:
    return bool(w.time_bar.track.moments.all)


def _has_span(w: MainWindow) -> bool:
    return w.bridge.player is not None and w.bridge.player.span is not None


def _play_label(w: MainWindow) -> str:
    return "Pause Recorded" if w.bridge.playing else "Play Recorded"


TIME: tuple[Command, ...] = (
    Command(
        "play_recorded", "Time", "Play Recorded", lambda w: w.bridge.play_or_pause_recorded(), ("Shift+Space",),
        _has_rows, icon="play-recorded", label=_play_label, local=True,
        tip="Play the recorded rows from the moment that is shown; the simulation is left alone",
    ),
    Command(
        "loop", "Time", "Loop", lambda w: w.bridge.set_loop(not w.bridge.loops), ("L",), _has_rows,
        checked=lambda w: w.bridge.loops, icon="loop", local=True, tip="Begin again where playing ends",
    ),
    Command(
        "mark_in", "Time", "Play from Here", lambda w: w.bridge.mark_span(begin=True), ("I",), _has_rows, local=True,
        tip="Where playing begins, and a loop begins again",
    ),
    Command(
        "mark_out", "Time", "Play up to Here", lambda w: w.bridge.mark_span(begin=False), ("O",), _has_rows,
        local=True, tip="Where playing ends",
    ),
    Command("play_all", "Time", "Play All Again", lambda w: w.bridge.clear_span(), ("Shift+I",), _has_span, local=True),
    line("Time"),
    Command(
        "continue_here", "Time", "Continue from Here", lambda w: w.open_runs.continue_here(), ("Ctrl+Shift+R",),
        lambda w: _has_rows(w) and w.bridge.source != "robot", icon="continue",
        tip="A new run that begins with this one up to the moment that is shown, and goes on from it",
    ),
    line("Time"),
    Command(
        "to_start", "Time", "Go to the Start", lambda w: w.time_bar.track.go_to(0.0), (), _has_rows, local=True,
        icon="to-start", tip="Look at the first recorded row",
    ),
    Command(
        "row_back", "Time", "Row Before", lambda w: w.time_bar.track.shift(-1), ("Left",), _has_rows, local=True,
        icon="row-back", tip="Look at the recorded row before",
    ),
    Command(
        "row_on", "Time", "Row After", lambda w: w.time_bar.track.shift(1), ("Right",), _has_rows, local=True,
        icon="row-on", tip="Look at the recorded row after",
    ),
    Command(
        "event_back", "Time", "Event Before", lambda w: w.time_bar.track.to_event(-1), ("Ctrl+Left",), _has_events,
        local=True, icon="event-back", tip="Impacts, jams, steps that were not solved, changes, faults",
    ),
    Command(
        "event_on", "Time", "Event After", lambda w: w.time_bar.track.to_event(1), ("Ctrl+Right",), _has_events,
        local=True, icon="event-on", tip="Impacts, jams, steps that were not solved, changes, faults",
    ),
    Command(
        "live", "Time", "Go to the Newest State", lambda w: w.bridge.set_cursor(None), ("End",),
        lambda w: not w.bridge.live, local=True, icon="live",
    ),
    line("Time"),
    Command(
        "show_all_time", "Time", "Show the Whole Run", lambda w: w.time_bar.track.show_all(), ("Ctrl+0",), _has_rows,
        local=True, tip="In the time bar; the wheel looks closer",
    ),
)  # fmt: skip

"""Commands that control, open, export and play back runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from snakestudio.export.formats import EXPORTS, ExportKind, of_subject
from snakestudio.gui.core.command import Command, Context, line
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.runs.exporting import Exporter
from snakestudio.gui.runs.opening import OpenRuns
from snakestudio.gui.runs.speed_chooser import SpeedChooser
from snakestudio.gui.runs.timeline.bar import TimeBar
from snakestudio.gui.runs.video.camera_keys import CameraKeys
from snakestudio.model.run_time import run_time

EXPORT_MENU = "File/Export"


class RunsContext(Context, Protocol):
    """Context of these commands."""

    banners: Banners
    camera_keys: CameraKeys
    exporter: Exporter
    open_runs: OpenRuns
    time_bar: TimeBar

    @property
    def speed(self) -> SpeedChooser:
        """Box that selects the simulation speed."""
        ...


def _can_run(c: RunsContext) -> bool:
    return _can_step(c) or c.session_controller.waits


def _can_step(c: RunsContext) -> bool:
    if c.session_controller.source == "robot":
        return False  # the simulation does not drive a robot
    return c.session_controller.source == "replay" or c.session_controller.status.state in (
        "ready",
        "running",
        "paused",
        "finished",
    )


def _run_label(c: RunsContext) -> str:
    if c.session_controller.waits:
        if c.session_controller.status.state == "unprepared":
            return "Prepare and Play"
        return "Cancel Play When Ready" if c.session_controller.status.queued else "Play When Ready"
    return "Pause" if c.session_controller.moving else "Play"


def _prepare(c: RunsContext) -> None:
    if c.session_controller.status.state == "preparing":
        c.session_controller.session.cancel_preparing()
    else:
        c.session_controller.session.prepare()


def _prepare_label(c: RunsContext) -> str:
    return (
        "Cancel Preparing the Engine"
        if c.session_controller.status.state == "preparing"
        else "Prepare the Engine"
    )


def _speed(places: int) -> Callable[[RunsContext], None]:
    return lambda c: c.speed.shift(places)


def _step(c: RunsContext, n_steps: int | None = None) -> None:
    """Advance by time steps (default: one control period), or by samples in a recorded run."""
    if c.session_controller.source == "replay":
        c.time_bar.track.shift(1)
        return
    c.session_controller.set_cursor(None)
    c.session_controller.session.step(n_steps)


def _show_camera_keys(c: RunsContext) -> None:
    """Show the list of camera keyframes."""
    from snakestudio.gui.runs.video.camera_dialog import CameraDialog

    CameraDialog.open_for(c.camera_keys, c.window)


def _add_camera_key(c: RunsContext) -> None:
    """Add a camera keyframe at the shown time, and report it."""
    keys = c.camera_keys
    time = keys.add()
    if time is not None:
        count = len(keys.path.keys)
        text = (
            f"Camera keyframe at {run_time(time)} ({count} in total)."
            if count > 1
            else (
                f"Camera keyframe at {run_time(time)}. Add one at another time "
                "to move the camera between them."
            )
        )
        c.banners.exports.show_notice(
            "info", text, [("Show Keyframes", lambda: _show_camera_keys(c))], passing=True
        )


def _has_rows(c: RunsContext) -> bool:
    return c.session_controller.recording is not None


def _has_events(c: RunsContext) -> bool:
    return bool(c.time_bar.track.moments.all)


def _has_span(c: RunsContext) -> bool:
    return c.session_controller.replay is not None and c.session_controller.replay.span is not None


def _play_label(c: RunsContext) -> str:
    return "Pause Recorded" if c.session_controller.playing else "Play Recorded"


OPEN: tuple[Command[RunsContext], ...] = (
    Command(
        "open_run",
        "File",
        "Open Run...",
        lambda c: c.open_runs.ask_open(),
        ("Ctrl+Shift+F",),
        icon="open",
        tip="Open a recorded run (.mcap); the simulation is paused",
    ),
    Command(
        "runs",
        "File",
        "Recorded Runs",
        lambda c: c.show_dock("runs"),
        ("Ctrl+Alt+R",),
        icon="recent",
        tip="Search, open, overlay and manage all recorded runs",
    ),
    Command(
        "close_run",
        "File",
        "Return to Simulation",
        lambda c: c.session_controller.close_run(),
        (),
        lambda c: c.session_controller.source != "simulation",
        tip="Show the simulation instead of the robot or the recorded run",
    ),
)
"""Commands that open and show recorded runs."""

_KEYS = {"csv": ("Ctrl+E",), "video": ("Ctrl+Shift+E",)}
"""Shortcuts of built-in formats."""


def _export(kind: ExportKind) -> Command[RunsContext]:
    return Command(
        f"export_{kind.name}",
        EXPORT_MENU,
        f"{kind.title}...",
        lambda c: c.exporter.ask(kind),
        _KEYS.get(kind.name, ()),
        lambda c: c.exporter.can_export(kind),
        icon=kind.icon,
        tip=kind.help.removesuffix("."),
    )


def exports() -> tuple[Command[RunsContext], ...]:
    """Return the commands that export, one for each format that is registered now."""
    return (
        *map(_export, of_subject("run", "contact_problem")),
        line(EXPORT_MENU),
        *map(_export, of_subject("scene")),
    )


PICTURES: tuple[Command[RunsContext], ...] = (
    Command(
        "screenshot",
        "View",
        "Screenshot...",
        lambda c: c.exporter.ask(EXPORTS["screenshot"]),
        ("Ctrl+P",),
        icon="camera",
        tip="Save the viewport as a PNG image at full quality",
    ),
    Command(
        "add_camera_key",
        "View/Camera Path",
        "Add Camera Keyframe",
        _add_camera_key,
        ("Ctrl+Shift+K",),
        lambda c: c.session_controller.displayed is not None,
        icon="keyframe",
        tip="Add the current view at the shown time to the camera path of the video",
    ),
    Command(
        "camera_keys",
        "View/Camera Path",
        "Camera Keyframes...",
        _show_camera_keys,
        icon="camera",
        tip="Show, retime, load and save camera keyframes",
    ),
)
"""Commands for screenshots and camera paths."""

SIMULATION: tuple[Command[RunsContext], ...] = (
    Command(
        "play",
        "Simulation",
        "Play",
        lambda c: c.session_controller.play_or_pause(),
        ("Space",),
        _can_run,
        icon="play",
        label=_run_label,
        tip="Run or pause the simulation",
    ),
    Command(
        "step",
        "Simulation",
        "Step Control Period",
        _step,
        ("N",),
        _can_step,
        icon="step",
        tip="Advance by one control period",
    ),
    Command(
        "single_step",
        "Simulation",
        "Step Time Step",
        lambda c: _step(c, 1),
        ("Shift+N",),
        _can_step,
        tip="Advance by one time step",
    ),
    Command(
        "reset",
        "Simulation",
        "Reset",
        lambda c: c.session_controller.reset(),
        ("Ctrl+R",),
        lambda c: (
            c.session_controller.status.state != "empty" and c.session_controller.source != "robot"
        ),
        icon="reset",
        tip="Return to the start with all edits applied",
    ),
    Command(
        "prepare",
        "Simulation",
        "Prepare the Engine",
        _prepare,
        enabled=lambda c: c.session_controller.status.state in ("preparing", "unprepared"),
        label=_prepare_label,
        tip="Compile the engine of this scene's model; needed once per computer, and the window stays usable",
    ),
)
"""Commands that control the simulation."""

SPEED: tuple[Command[RunsContext], ...] = (
    Command("slower", "Simulation", "Slower", _speed(-1), ("[",)),
    Command("faster", "Simulation", "Faster", _speed(+1), ("]",)),
    Command("real_time", "Simulation", "Real Time", lambda c: c.speed.choose(1.0), ("Ctrl+1",)),
)
"""Commands that set the simulation speed."""

TIME: tuple[Command[RunsContext], ...] = (
    Command(
        "play_recorded",
        "Time",
        "Play Recorded",
        lambda c: c.session_controller.play_or_pause_recorded(),
        ("Shift+Space",),
        _has_rows,
        icon="play-recorded",
        label=_play_label,
        local=True,
        tip="Play the recorded samples from the shown time; the simulation is unaffected",
    ),
    Command(
        "loop",
        "Time",
        "Loop",
        lambda c: c.session_controller.set_loop(not c.session_controller.loops),
        ("L",),
        _has_rows,
        checked=lambda c: c.session_controller.loops,
        icon="loop",
        local=True,
        tip="Restart playback when it reaches the end",
    ),
    Command(
        "mark_in",
        "Time",
        "Set Loop Start",
        lambda c: c.session_controller.mark_span(begin=True),
        ("I",),
        _has_rows,
        local=True,
        tip="Start playback and loops at the shown time",
    ),
    Command(
        "mark_out",
        "Time",
        "Set Loop End",
        lambda c: c.session_controller.mark_span(begin=False),
        ("O",),
        _has_rows,
        local=True,
        tip="End playback at the shown time",
    ),
    Command(
        "play_all",
        "Time",
        "Clear Loop Range",
        lambda c: c.session_controller.clear_span(),
        ("Shift+I",),
        _has_span,
        local=True,
    ),
    line("Time"),
    Command(
        "continue_here",
        "Time",
        "Continue from Here",
        lambda c: c.open_runs.continue_here(),
        ("Ctrl+Shift+R",),
        lambda c: _has_rows(c) and c.session_controller.source != "robot",
        icon="continue",
        tip="Start a new run from the state at the shown time; it begins with this run up to there",
    ),
    line("Time"),
    Command(
        "to_start",
        "Time",
        "Go to Start",
        lambda c: c.time_bar.track.seek(0.0),
        (),
        _has_rows,
        local=True,
        icon="to-start",
        tip="Show the first recorded sample",
    ),
    Command(
        "row_back",
        "Time",
        "Previous Sample",
        lambda c: c.time_bar.track.shift(-1),
        ("Left",),
        _has_rows,
        local=True,
        icon="row-back",
        tip="Show the previous recorded sample",
    ),
    Command(
        "row_on",
        "Time",
        "Next Sample",
        lambda c: c.time_bar.track.shift(1),
        ("Right",),
        _has_rows,
        local=True,
        icon="row-on",
        tip="Show the next recorded sample",
    ),
    Command(
        "event_back",
        "Time",
        "Previous Event",
        lambda c: c.time_bar.track.to_event(-1),
        ("Ctrl+Left",),
        _has_events,
        local=True,
        icon="event-back",
        tip="Go to the previous impact, jam, unsolved step, change or fault",
    ),
    Command(
        "event_on",
        "Time",
        "Next Event",
        lambda c: c.time_bar.track.to_event(1),
        ("Ctrl+Right",),
        _has_events,
        local=True,
        icon="event-on",
        tip="Go to the next impact, jam, unsolved step, change or fault",
    ),
    Command(
        "live",
        "Time",
        "Go to Live",
        lambda c: c.session_controller.set_cursor(None),
        ("End",),
        lambda c: not c.session_controller.live,
        local=True,
        icon="live",
    ),
    line("Time"),
    Command(
        "show_all_time",
        "Time",
        "Zoom to Whole Run",
        lambda c: c.time_bar.track.show_all(),
        ("Ctrl+0",),
        _has_rows,
        local=True,
        tip="Show the whole run in the time bar; the wheel zooms in",
    ),
)
"""Commands that move in time, play back and continue a run."""

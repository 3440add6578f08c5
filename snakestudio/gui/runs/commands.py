"""What runs have in the menus: making, opening, keeping and exporting one, looking back, playing what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from snakestudio.gui.core.command import Command, Context, line
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.runs.exporting import Exporter
from snakestudio.gui.runs.opening import OpenRuns
from snakestudio.gui.runs.speed_chooser import SpeedChooser
from snakestudio.gui.runs.timeline.bar import TimeBar
from snakestudio.gui.runs.video.camera_keys import CameraKeys
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.run_time import run_time

_EXPORT = "File/Export"


class RunsContext(Context, Protocol):
    """What these commands work with."""

    banners: Banners
    camera_keys: CameraKeys
    exporter: Exporter
    open_runs: OpenRuns
    time_bar: TimeBar

    @property
    def speed(self) -> SpeedChooser:
        """Chooses how fast simulated time passes."""
        ...


def _there_is_a_run(c: RunsContext) -> bool:
    return c.exporter.possible


def _has_contact_problem(c: RunsContext) -> bool:

    return _there_is_a_run(c) and FORMULATIONS[c.document.scene.model.kind].contact_problems


def _is_a_chain(c: RunsContext) -> bool:
    return c.document.scene.body.jointed and not c.exporter.busy


def _can_run(c: RunsContext) -> bool:
    return _can_step(c) or c.session_controller.waits


def _can_step(c: RunsContext) -> bool:
    if c.session_controller.source == "robot":
        return False  # a robot is led by its own commands; the simulation goes on as it did
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
        return "Do Not Play When Ready" if c.session_controller.status.queued else "Play When Ready"
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
    """Go on by some time steps (a control period if not said), from the newest state; by a row of an opened run."""
    if c.session_controller.source == "replay":
        c.time_bar.track.shift(1)
        return
    c.session_controller.set_cursor(None)
    c.session_controller.session.step(n_steps)


def _show_camera_keys(c: RunsContext) -> None:
    """The list of camera keyframes."""
    from snakestudio.gui.runs.video.camera_dialog import CameraDialog

    CameraDialog.shown(c.camera_keys, c.window)


def _add_camera_key(c: RunsContext) -> None:
    """Set a camera keyframe at the shown moment, and say so."""
    keys = c.camera_keys
    time = keys.add()
    if time is not None:
        count = len(keys.path.keys)
        text = (
            f"Camera keyframe at {run_time(time)}; there are {count} now."
            if count > 1
            else (
                f"Camera keyframe at {run_time(time)}. Add another at another moment, "
                "and the camera moves between them."
            )
        )
        c.banners.exports.say(
            "info", text, [("Show Keyframes", lambda: _show_camera_keys(c))], passing=True
        )


def _has_rows(c: RunsContext) -> bool:
    return c.session_controller.recording is not None


def _has_events(c: RunsContext) -> bool:
    return bool(c.time_bar.track.moments.all)


def _has_span(c: RunsContext) -> bool:
    return c.session_controller.player is not None and c.session_controller.player.span is not None


def _play_label(c: RunsContext) -> str:
    return "Pause Recorded" if c.session_controller.playing else "Play Recorded"


OPEN: tuple[Command[RunsContext], ...] = (
    Command(
        "open_run",
        "File",
        "Open Run ...",
        lambda c: c.open_runs.ask_open(),
        ("Ctrl+Shift+F",),
        icon="open",
        tip="Show a recorded run (.mcap); the simulation stands meanwhile",
    ),
    Command(
        "runs",
        "File",
        "Kept Runs",
        lambda c: c.show_dock("runs"),
        ("Ctrl+Alt+R",),
        icon="recent",
        tip="All runs of the window: look for them, open them, see them beside this one",
    ),
    Command(
        "close_run",
        "File",
        "Back to the Simulation",
        lambda c: c.session_controller.close_run(),
        (),
        lambda c: c.session_controller.source != "simulation",
        tip="Show it in place of the robot or of a run",
    ),
)
"""What shows runs that were made."""

EXPORT: tuple[Command[RunsContext], ...] = (
    Command(
        "export_csv",
        _EXPORT,
        "CSV ...",
        lambda c: c.exporter.ask_csv(),
        ("Ctrl+E",),
        _there_is_a_run,
        icon="table",
        tip="Write the run so far as numbers",
    ),
    Command(
        "export_hdf5",
        _EXPORT,
        "HDF5 ...",
        lambda c: c.exporter.ask_hdf5(),
        (),
        _there_is_a_run,
        tip="Write the run so far as arrays with units, for Matlab, Python and others",
    ),
    Command(
        "export_mcap",
        _EXPORT,
        "MCAP ...",
        lambda c: c.exporter.ask_mcap(),
        (),
        _there_is_a_run,
        tip="Write the run so far as a run file, which Foxglove, PlotJuggler and Rerun read, too",
    ),
    Command(
        "export_video",
        _EXPORT,
        "Video ...",
        lambda c: c.exporter.ask_video(),
        ("Ctrl+Shift+E",),
        _there_is_a_run,
        icon="video",
        tip="Render the run so far as a video, an animation or single pictures",
    ),
    Command(
        "export_figures",
        _EXPORT,
        "Figures ...",
        lambda c: c.exporter.ask_figures(),
        (),
        _there_is_a_run,
        tip="Draw the run so far as figures for print (PDF): way, velocity, joints, forces, energies",
    ),
    Command(
        "export_contact_problem",
        _EXPORT,
        "Contact Problem ...",
        lambda c: c.exporter.ask_contact_problem(),
        (),
        _has_contact_problem,
        tip="Write the contact problem of the run's last step for other solvers (FCLIB), or as arrays",
    ),
    line(_EXPORT),
    Command(
        "export_plan",
        _EXPORT,
        "Plan ...",
        lambda c: c.exporter.ask_plan(),
        (),
        lambda c: not c.exporter.busy,
        tip="Draw the scene from above to scale, as SVG, PNG or PDF",
    ),
    Command(
        "export_model",
        _EXPORT,
        "Model ...",
        lambda c: c.exporter.ask_model(),
        (),
        _is_a_chain,
        tip="Write the robot and its world for other simulators, as MJCF, URDF or SDF",
    ),
)
"""What writes the run to files."""

PICTURES: tuple[Command[RunsContext], ...] = (
    Command(
        "screenshot",
        "View",
        "Screenshot ...",
        lambda c: c.exporter.ask_screenshot(),
        ("Ctrl+P",),
        icon="camera",
        tip="Save what the viewport shows at full quality",
    ),
    Command(
        "add_camera_key",
        "View/Camera Path",
        "Add Camera Keyframe",
        _add_camera_key,
        ("Ctrl+Shift+K",),
        lambda c: c.session_controller.displayed is not None,
        icon="keyframe",
        tip="A video's camera can move from this view, at the moment that is shown, to others",
    ),
    Command(
        "camera_keys",
        "View/Camera Path",
        "Camera Keyframes ...",
        _show_camera_keys,
        icon="camera",
        tip="Go to them, move them in time, keep them in a file",
    ),
)
"""Pictures of the view, and how a video looks."""

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
        tip="Run or stand still",
    ),
    Command(
        "step",
        "Simulation",
        "Step",
        _step,
        ("N",),
        _can_step,
        icon="step",
        tip="Go on by one control period",
    ),
    Command(
        "single_step",
        "Simulation",
        "Step Once",
        lambda c: _step(c, 1),
        ("Shift+N",),
        _can_step,
        tip="Go on by one time step",
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
        tip="Back to the start, with all edits applied",
    ),
    Command(
        "prepare",
        "Simulation",
        "Prepare the Engine",
        _prepare,
        enabled=lambda c: c.session_controller.status.state in ("preparing", "unprepared"),
        label=_prepare_label,
        tip="Compile the engine of this scene's model, which is needed once on a machine; all else works meanwhile",
    ),
)
"""What makes a run."""

SPEED: tuple[Command[RunsContext], ...] = (
    Command("slower", "Simulation", "Slower", _speed(-1), ("[",)),
    Command("faster", "Simulation", "Faster", _speed(+1), ("]",)),
    Command("real_time", "Simulation", "Real Time", lambda c: c.speed.choose(1.0), ("Ctrl+1",)),
)
"""How fast it goes."""

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
        tip="Play the recorded rows from the moment that is shown; the simulation is left alone",
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
        tip="Begin again where playing ends",
    ),
    Command(
        "mark_in",
        "Time",
        "Play from Here",
        lambda c: c.session_controller.mark_span(begin=True),
        ("I",),
        _has_rows,
        local=True,
        tip="Where playing begins, and a loop begins again",
    ),
    Command(
        "mark_out",
        "Time",
        "Play up to Here",
        lambda c: c.session_controller.mark_span(begin=False),
        ("O",),
        _has_rows,
        local=True,
        tip="Where playing ends",
    ),
    Command(
        "play_all",
        "Time",
        "Play All Again",
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
        tip="A new run that begins with this one up to the moment that is shown, and goes on from it",
    ),
    line("Time"),
    Command(
        "to_start",
        "Time",
        "Go to the Start",
        lambda c: c.time_bar.track.go_to(0.0),
        (),
        _has_rows,
        local=True,
        icon="to-start",
        tip="Look at the first recorded row",
    ),
    Command(
        "row_back",
        "Time",
        "Row Before",
        lambda c: c.time_bar.track.shift(-1),
        ("Left",),
        _has_rows,
        local=True,
        icon="row-back",
        tip="Look at the recorded row before",
    ),
    Command(
        "row_on",
        "Time",
        "Row After",
        lambda c: c.time_bar.track.shift(1),
        ("Right",),
        _has_rows,
        local=True,
        icon="row-on",
        tip="Look at the recorded row after",
    ),
    Command(
        "event_back",
        "Time",
        "Event Before",
        lambda c: c.time_bar.track.to_event(-1),
        ("Ctrl+Left",),
        _has_events,
        local=True,
        icon="event-back",
        tip="Impacts, jams, steps that were not solved, changes, faults",
    ),
    Command(
        "event_on",
        "Time",
        "Event After",
        lambda c: c.time_bar.track.to_event(1),
        ("Ctrl+Right",),
        _has_events,
        local=True,
        icon="event-on",
        tip="Impacts, jams, steps that were not solved, changes, faults",
    ),
    Command(
        "live",
        "Time",
        "Go to the Newest State",
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
        "Show the Whole Run",
        lambda c: c.time_bar.track.show_all(),
        ("Ctrl+0",),
        _has_rows,
        local=True,
        tip="In the time bar; the wheel looks closer",
    ),
)
"""Looking back, playing what is recorded, and going on from there."""

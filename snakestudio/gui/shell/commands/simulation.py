"""The Simulation menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from snakestudio.gui.shell.commands.command import Command, has_links, is_continuum, line

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["SIMULATION"]


def _can_run(w: MainWindow) -> bool:
    return _can_step(w) or w.bridge.waits


def _can_step(w: MainWindow) -> bool:
    if w.bridge.source == "robot":
        return False  # a robot is led by its own commands; the simulation goes on as it did
    return w.bridge.source == "replay" or w.bridge.status.state in ("ready", "running", "paused", "finished")


def _play_label(w: MainWindow) -> str:
    if w.bridge.waits:
        if w.bridge.status.state == "unprepared":
            return "Prepare and Play"
        return "Do Not Play When Ready" if w.bridge.status.queued else "Play When Ready"
    return "Pause" if w.bridge.moving else "Play"


def _prepare(w: MainWindow) -> None:
    if w.bridge.status.state == "preparing":
        w.bridge.session.cancel_preparing()
    else:
        w.bridge.session.prepare()


def _prepare_label(w: MainWindow) -> str:
    return "Cancel Preparing the Engine" if w.bridge.status.state == "preparing" else "Prepare the Engine"


def _speed(places: int) -> Callable[[MainWindow], None]:
    return lambda w: w.run_bar.speed.shift(places)


SIMULATION: tuple[Command, ...] = (
    Command(
        "play", "Simulation", "Play", lambda w: w.bridge.play_or_pause(), ("Space",), _can_run, icon="play",
        label=_play_label, tip="Run or stand still",
    ),
    Command(
        "step", "Simulation", "Step", lambda w: w.step(), ("N",), _can_step, icon="step",
        tip="Go on by one control period",
    ),
    Command(
        "single_step", "Simulation", "Step Once", lambda w: w.step(1), ("Shift+N",), _can_step,
        tip="Go on by one time step",
    ),
    Command(
        "reset", "Simulation", "Reset", lambda w: w.reset(), ("Ctrl+R",),
        lambda w: w.bridge.status.state != "empty" and w.bridge.source != "robot",
        icon="reset", tip="Back to the start, with all edits applied",
    ),
    Command(
        "prepare", "Simulation", "Prepare the Engine", _prepare,
        enabled=lambda w: w.bridge.status.state in ("preparing", "unprepared"), label=_prepare_label,
        tip="Compile the engine of this scene's model, which is needed once on a machine; all else works meanwhile",
    ),
    Command(
        "prepare_ahead", "Simulation", "Prepare Engines Ahead", lambda w: w.ahead.set_wanted(not w.ahead.wanted),
        checked=lambda w: w.ahead.wanted,
        tip="Compile the engines that may be needed next while the program idles, with processor time that nobody "
        "else wants; never on battery, nor while a robot is connected",
    ),
    Command(
        "tune", "Simulation", "Tune for This Processor ...", lambda w: w.dialogs.show_tuning(),
        tip="Measure what engines compiled for this very processor gain, and choose what is computed for",
    ),
    line("Simulation"),
    Command("slower", "Simulation", "Slower", _speed(-1), ("[",)),
    Command("faster", "Simulation", "Faster", _speed(+1), ("]",)),
    Command("real_time", "Simulation", "Real Time", lambda w: w.run_bar.speed.choose(1.0), ("Ctrl+1",)),
    line("Simulation"),
    Command(
        "start_together", "Simulation", "Start Together ...", lambda w: w.together.ask(), ("Ctrl+Shift+T",),
        lambda w: w.together.possible or w.together.waiting, icon="together",
        label=lambda w: "Cancel Start Together" if w.together.waiting else "Start Together ...",
        tip="Start at the same moment as other instruments: fire a trigger, or wait for one",
    ),
    line("Simulation"),
    Command(
        "compare_models", "Simulation", "Compare Models ...", lambda w: w.show_dock("comparison"), ("Ctrl+M",),
        tip="Run this scene in several models: ghosts, curves over each other, and their differences",
    ),
    Command(
        "compare_experiment", "Simulation", "Compare with an Experiment ...", lambda w: w.show_experiment(),
        tip="Measured trials beside the run: their tracks, how they are aligned, and the errors",
    ),
    Command(
        "compare_chain", "Simulation", "Compare with a Chain of Links ...", lambda w: w.dialogs.show_chain(),
        enabled=is_continuum, tip="Hold chains of n links against the continuous body: torques, speed, convergence",
    ),
    Command(
        "fit", "Simulation", "Fit to Experiment ...", lambda w: w.dialogs.show_fit(), enabled=has_links, long=True,
        tip="Find friction, delay, free play and the like with which the run matches measured ones",
    ),
    Command(
        "make_continuum", "Simulation", "Make Continuum Scene from Gait", lambda w: w.dialogs.make_continuum(),
        enabled=lambda w: has_links(w) and w.document.scene.controller.uses_gait and not w.document.scene.gives_torques,
        long=True, tip="A continuous body whose strain law is fitted to the gait takes the place of the links",
    ),
)  # fmt: skip

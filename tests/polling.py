"""Timers of the window that poll for an event instead of reacting to a signal."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from tests.inference import Function, last

CLOCKS = {
    # Frames: the newest snapshot is pulled, because samples emit no signals. Memory is returned now
    # and then.
    "gui/core/session_controller.py": {"self._timer", "self._release"},
    "gui/plots/panel.py": {"self._timer"},  # frames of the plots
    "gui/profile/learning_dialog.py": {
        "self._timer"
    },  # the curve that moves a joint depends on time
    "gui/profile/wiggle_dialog.py": {"self._timer"},  # joints are moved in time
    "gui/robot/arming.py": {"self._timer"},  # how long the button has been held
    "gui/core/robot_controller.py": {"self._timer"},  # heartbeat of the window to the robot
    "gui/robot/stop_button.py": {"self._timer"},  # the path to a stop depends on no signal
    "gui/robot/teleop/teleop.py": {"self._timer"},  # the period in which joysticks are integrated
    "gui/viewport/navigation.py": {"self._timer"},  # the camera flies
    # Work of the window in pieces, between which it draws and handles events.
    "gui/charts/parallel_item.py": {
        "self._rest_timer",
        "QTimer.singleShot(0, self, self._draw_more)",
    },
    "gui/remote/server.py": {"self._next"},
    "gui/shell/docking.py": {"QTimer.singleShot(15, self, lambda: self.fill(context))"},
}
"""Timers that keep time: their action is due at each tick, not upon an event."""

_DELAY = "Delay"
"""Class of single-shot timers that are constructed with their action."""


def polling_timers_of(
    file: str, scopes: list[ast.ClassDef | Function]
) -> Iterator[tuple[int, str]]:
    """Line and name of each repeating timer in the classes and functions of a file.

    A timer repeats if it is not single-shot, or if the method that it calls restarts it.
    """
    clocks = CLOCKS.get(file, set())
    for scope in scopes:
        methods = {each.name: each for each in ast.walk(scope) if isinstance(each, Function)}
        calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call)]
        for node, target in _timers(scope, calls):
            if target not in clocks and (
                not _is_single(node, target, calls) or _restarts(node, target, calls, methods)
            ):
                yield node.lineno, target
        for call in calls:
            if last(call.func) in ("startTimer", "QBasicTimer"):
                yield call.lineno, ast.unparse(call)
        for name, method in methods.items():
            for call in ast.walk(method):
                if not _is_call(call, "QTimer.singleShot"):
                    continue
                if name in _own_names(call) and ast.unparse(call) not in clocks:
                    yield call.lineno, ast.unparse(call)


def _timers(scope: ast.AST, calls: list[ast.Call]) -> Iterator[tuple[ast.Call, str]]:
    """Constructions of timers, with the target of the assignment; "" without one."""
    timers = {id(call): call for call in calls if last(call.func) in ("QTimer", _DELAY)}
    if not timers:
        return
    targets = {
        id(node.value): ast.unparse(
            node.targets[0] if isinstance(node, ast.Assign) else node.target
        )
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign | ast.AnnAssign) and id(node.value) in timers
    }
    for key, call in timers.items():
        yield call, targets.get(key, "")


def _is_call(node: ast.AST, function: str) -> TypeGuard[ast.Call]:
    """Whether a node calls the function of this dotted name; names are compared first, because that is fast."""
    return (
        isinstance(node, ast.Call)
        and last(node.func) == function.rpartition(".")[2]
        and ast.unparse(node.func) == function
    )


def _is_single(call: ast.Call, target: str, calls: list[ast.Call]) -> bool:
    if last(call.func) == _DELAY or any(keyword.arg == "singleShot" for keyword in call.keywords):
        return True
    return any(
        _is_call(call, f"{target}.setSingleShot")
        and ast.unparse(call) == f"{target}.setSingleShot(True)"
        for call in calls
    )


def _restarts(
    timer: ast.Call, target: str, calls: list[ast.Call], methods: dict[str, Function]
) -> bool:
    """Whether the callback of the timer leads to its start."""
    connections = [call for call in calls if _is_call(call, f"{target}.timeout.connect")]
    if last(timer.func) == _DELAY:
        connections.append(timer)
    starts = f"{target}.start(", f"{target}.request("
    return any(
        name in methods and any(start in ast.unparse(methods[name]) for start in starts)
        for call in connections
        for name in _own_names(call)
    )


def _own_names(node: ast.AST) -> set[str]:
    """Names of attributes of `self` in a node."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }

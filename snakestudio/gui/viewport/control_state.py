"""What the controller makes of the robot's state, in words."""

from __future__ import annotations

import math

from snakestudio.control.controllers.leader_follower import RESOLVING, jammed_joints
from snakestudio.gui.core import theme
from snakestudio.model.snapshot import Snapshot

__all__ = ["control_state"]


def _joints(numbers: list[int]) -> str:
    """Joints (0-based) as people count them."""
    names = [str(number + 1) for number in numbers]
    return f"joint {names[0]}" if len(names) == 1 else f"joints {', '.join(names[:-1])} and {names[-1]}"


def _led(snapshot: Snapshot) -> list[tuple[str, str]]:
    p, control = theme.current(), snapshot.control
    jams, jammed = int(control["jam_count"]), jammed_joints(control)
    so_far = f", {jams} {'jam' if jams == 1 else 'jams'} so far" if jams else ""
    if control["controller_state"] == RESOLVING:
        return [(p.accent, f"resolving jam {jams}" + (f" of {_joints(jammed)}" if jammed else ""))]
    entries = [(p.good, f"head turns {'left' if control['head_side'] > 0 else 'right'}{so_far}")]
    if jammed:
        entries.append((p.warning, f"jammed: {_joints(jammed)}"))
    return entries


def control_state(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Colours and texts; none for a robot that follows its gait."""
    p, control = theme.current(), snapshot.control
    if "controller_state" in control:
        return _led(snapshot)
    if "cross_track_m" in control:
        off = 100.0 * control["cross_track_m"]
        side = "left" if off > 0 else "right"
        return [(p.accent, "on the path" if abs(off) < 0.5 else f"{abs(off):.3g} cm {side} of the path")]
    if "gait_number" in control:
        pace, bend = (math.degrees(control[name]) for name in ("gait_frequency_radps", "gait_offset_rad"))
        return [(p.accent, f"gait at {pace:.0f}°/s, bent by {bend:.1f}°" if pace or bend else "gait stands still")]
    if "heading_rad" in control and "heading_ref_rad" in control:
        is_, wanted = (math.degrees(control[name]) for name in ("heading_rad", "heading_ref_rad"))
        return [(p.accent, f"heading {is_:.0f}°, wanted {wanted:.0f}°")]
    return []

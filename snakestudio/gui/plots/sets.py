"""Plot layouts: built-in ones for common questions, and those saved by the user."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio.gui.core.settings import Setting
from snakestudio.gui.plots.channel_library import (
    ChannelLibrary,
    DerivedChannel,
    read_derived,
    write_derived,
)
from snakestudio.model.recording import Recording, Schema
from snakestudio.model.registry import FORMULATIONS
from snakestudio.model.robot.joint_axes import joints
from snakestudio.model.robot.overrides import AXES
from snakestudio.viewmodel.plots.content import Content, Curve, read_content, write_content

_LAYOUTS = Setting(
    "plots/arrangements",
    "{}",
    "Plot layouts",
    "Plot layouts that the user saved, as JSON",
    remembered=True,
)


@dataclass(frozen=True, slots=True)
class PlotPreset:
    """A built-in plot layout."""

    name: str
    tip: str
    contents: Callable[[Schema], list[Content]]
    """Returns the contents of its plots for the run's schema."""

    derived: Callable[[Recording], tuple[DerivedChannel, ...]] = lambda recording: ()
    """Returns the derived channels that it needs for the run."""


def _each(part: str, count: int, what: str) -> tuple[Curve, ...]:
    return tuple(Curve(f"{part}_{i + 1}_{what}") for i in range(count))


def _contact_forces(schema: Schema) -> list[Content]:
    n = schema.n_links
    return [
        Content.of_view("force"),
        Content(
            "heat",
            curves=_each("link", n, "obstacle_force_n"),
            title="Obstacle force, link by time",
        ),
        Content(
            "time",
            curves=(Curve("contact_obstacle_fx_n"), Curve("contact_obstacle_fy_n")),
            title="Obstacle force on the robot",
        ),
        Content.of_view("friction"),
    ]


def _tracking(schema: Schema) -> list[Content]:
    joint = min(4, schema.n_joints)
    return [
        Content.of_view("joint", joint - 1),
        Content(
            "time", curves=(Curve("tracking_error_rad"),), title=f"Tracking error, joint {joint}"
        ),
        Content.of_view("torque", joint - 1),
        Content(
            "heat",
            curves=_each("joint", schema.n_joints, "yaw_deg"),
            title="Joint angle, joint by time",
        ),
    ]


def _energy(schema: Schema) -> list[Content]:
    return [
        Content(
            "time", curves=(Curve("energy_kinetic_j"), Curve("energy_potential_j")), title="Energy"
        ),
        Content.of_view("energy"),
        Content("time", curves=(Curve("balance_error_j"),), title="Energy balance error"),
    ]


def _solver(schema: Schema) -> list[Content]:
    return [
        Content("time", curves=(Curve("solver_residual"),), log=True, title="Residual"),
        Content(
            "time",
            curves=(Curve("solver_iterations"), Curve("solver_unconverged")),
            title="Iterations",
        ),
        Content("time", curves=(Curve("contacts_closed"),), title="Contacts closed"),
    ]


def _paper(schema: Schema) -> list[Content]:
    link = min(6, schema.n_links)
    return [
        Content.of_view("force_stacked"),
        Content(
            "xy",
            curves=(Curve(f"link_{link}_y_m", f"link_{link}_x_m"),),
            equal=True,
            outlines=True,
            whole=True,
            title=f"Path of link {link}",
        ),
        Content.of_view("joint", min(3, max(0, schema.n_joints - 1))),
        Content(
            "time",
            curves=(Curve(f"link_{link}_x_m"), Curve(f"link_{link}_y_m")),
            title=f"Position of link {link}",
        ),
    ]


def _gait(schema: Schema) -> list[Content]:
    links = tuple(dict.fromkeys((1, (schema.n_links + 1) // 2, schema.n_links)))
    kind = next((kind for kind in AXES if len(joints(schema.axes, kind)) > 1), "yaw")
    numbers = joints(schema.axes, kind).tolist()
    middle, after = (
        (numbers[len(numbers) // 2 - 1] + 1, numbers[len(numbers) // 2] + 1)
        if len(numbers) > 1
        else (1, 2)
    )
    one = f"joint_{middle}_{kind}"
    other = f"joint_{after}_{kind}"
    return [
        Content.tracks(links, centre=True),
        Content(
            "xy",
            curves=(Curve(f"{other}_deg", f"{one}_deg"),),
            equal=True,
            title="Phase of two joints",
        ),
        Content(
            "spectrum",
            curves=(Curve(f"{one}_deg"), Curve(f"{one}_ref_deg")),
            title="Spectrum of a joint",
        ),
        Content(
            "time",
            curves=(Curve("com_vx_mps"), Curve("com_vy_mps")),
            title="Velocity of the centre of mass",
        ),
    ]


def balance_error(recording: Recording) -> tuple[DerivedChannel, ...]:
    """Return the channel of the kinetic energy that no work explains, 0 up to numerical errors.

    Some works are parts of others, or change only the potential energy; the formulation names them.
    """
    omitted = FORMULATIONS[recording.scene.model.kind].works_outside_balance or ()
    works = [
        f"{name}_j"
        for name in recording.schema.energy
        if name.startswith("work_") and name not in omitted
    ]
    text = f"energy_kinetic_j - at(energy_kinetic_j, 0) - ({' + '.join(works) or '0'})"
    return (DerivedChannel("balance_error_j", text, "J"),)


_TRACKING = DerivedChannel("tracking_error_rad", "joint_4_yaw_rad - joint_4_yaw_ref_rad", "rad")

PRESETS = (
    PlotPreset("Contact Forces", "Forces of obstacles and ground, link by link", _contact_forces),
    PlotPreset(
        "Tracking",
        "Joint angles, references, errors and torques",
        _tracking,
        lambda _: (_TRACKING,),
    ),
    PlotPreset(
        "Energy Balance",
        "Energies, work, and the unaccounted remainder",
        _energy,
        balance_error,
    ),
    PlotPreset("Solver", "Residual on a logarithmic axis, iterations, contacts", _solver),
    PlotPreset(
        "Paper Figures",
        "Forces by link, path of a link, and a joint, as in the papers",
        _paper,
    ),
    PlotPreset("Gait", "Tracks from above, phase of two joints, spectrum, velocity", _gait),
)


def contents_text(contents: Sequence[Content], library: ChannelLibrary) -> str:
    """Return contents as JSON, with the derived channels that they use."""
    used = {name for content in contents for name in content.names}
    derived = [each for each in library.derived if each.name in used]
    return json.dumps(
        {
            "plots": [write_content(content) for content in contents],
            "derived": json.loads(write_derived(derived)),
        }
    )


def contents_of(text: str, library: ChannelLibrary) -> list[Content]:
    """Return the contents written by `contents_text`, and add new derived channels to the library."""
    try:
        written = json.loads(text)
    except ValueError:
        return []
    if not isinstance(written, dict):
        return []
    library.add(read_derived(json.dumps(written.get("derived", []))))
    plots = written.get("plots", [])
    contents = (read_content(plot) for plot in plots) if isinstance(plots, list) else iter(())
    return [content for content in contents if content is not None]


class PlotSets(QObject):
    """The plot layouts saved by the user.

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(
        self, settings: QSettings, library: ChannelLibrary, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._library = library

    def _stored(self) -> dict[str, str]:
        try:
            stored = json.loads(_LAYOUTS.load(self._settings))
        except ValueError:
            return {}
        return (
            {str(k): v for k, v in stored.items() if isinstance(v, str)}
            if isinstance(stored, dict)
            else {}
        )

    @property
    def names(self) -> list[str]:
        """Names of the saved plot layouts, sorted."""
        return sorted(self._stored(), key=str.casefold)

    def refusal(self, name: str) -> str:
        """Return why plots cannot be saved under a name; "" if they can."""
        if not name.strip():
            return "Give the plot layout a name."
        if name.strip().casefold() in (preset.name.casefold() for preset in PRESETS):
            return f"{name.strip()} is the name of a built-in plot layout. Give another name."
        return ""

    def save(self, name: str, contents: Sequence[Content]) -> None:
        """Save contents under a name, replacing those of the same name."""
        self._store({**self._stored(), name.strip(): contents_text(contents, self._library)})

    def load(self, name: str) -> list[Content]:
        """Return the contents saved under a name."""
        return contents_of(self._stored()[name], self._library)

    def delete(self, name: str) -> None:
        """Delete a saved plot layout."""
        self._store({other: text for other, text in self._stored().items() if other != name})

    def _store(self, stored: dict[str, str]) -> None:
        _LAYOUTS.store(self._settings, json.dumps(stored))
        self.changed.emit()

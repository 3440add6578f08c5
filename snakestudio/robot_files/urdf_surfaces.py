"""Friction and gravity of the links of a URDF, in the extensions of Gazebo, PyBullet and Drake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import Placement
from snakestudio.robot_files.elements import Element, float_of
from snakestudio.robot_files.reading import Reading, names_text
from snakestudio.robot_files.sdf_models import is_true
from snakestudio.robot_files.sdf_shapes import DEFAULT_FRICTION, Surface, surface_of

GAZEBO = "Gazebo"
BULLET = "PyBullet"
DRAKE = "Drake"

_DEFAULTS = {GAZEBO: DEFAULT_FRICTION, BULLET: 0.5, DRAKE: 0.5}
"""Coefficient of links without friction. Bullet: UrdfParser, lateral_friction; Drake: SceneGraph, default
proximity properties."""

_COEFFICIENTS = {"mu1": "mu", "mu": "mu", "mu2": "mu2", "fdir1": "fdir1"}
"""Elements of Gazebo's extension, and their names in SDF."""


def value_of(element: Element) -> str:
    """Return the value of an element of an extension: an attribute, or text."""
    return element.get("value") or element.text.strip()


def extensions_of(root: Element) -> dict[str, list[Element]]:
    """Return the Gazebo's extensions by the name of the link or joint that they refer to; "" for the robot."""
    result: dict[str, list[Element]] = {}
    for block in root.all("gazebo"):
        result.setdefault(block.get("reference"), []).append(block)
    return result


def is_weightless(blocks: Sequence[Element]) -> bool:
    """Return whether gravity does not act on a link with these extensions; the last of several elements counts."""
    result = False
    for block in blocks:
        for child in block.all("gravity", "turnGravityOff"):
            on = value_of(child).lower() not in ("false", "no", "0")
            result = on if child.tag == "turnGravityOff" else not on
    return result


class Surfaces:
    """Friction of the collision geometry of a URDF.

    Parameters
    ----------
    links : mapping
        Links by name.
    extensions : mapping
        As `extensions_of`.
    """

    def __init__(
        self,
        links: Mapping[str, Element],
        extensions: Mapping[str, Sequence[Element]],
        reading: Reading,
    ) -> None:
        self._gazebo: dict[str, Element] = {}
        self._bullet: dict[str, Surface] = {}
        for name, link in links.items():
            with reading.problems.collected():
                surface = _gazebo_surface(extensions.get(name, ()))
                if surface is not None:
                    self._gazebo[name] = surface
            with reading.problems.collected():
                surface_of_bullet = _bullet_surface(link)
                if surface_of_bullet is not None:
                    self._bullet[name] = surface_of_bullet
        has_drake = any(_drake(c) is not None for e in links.values() for c in e.all("collision"))
        available = [(GAZEBO, self._gazebo), (BULLET, self._bullet), (DRAKE, has_drake)]
        simulators = [name for name, present in available if present]
        self._simulator = simulators[0] if simulators else ""
        if len(simulators) > 1:
            reading.notes.append(
                f"The file has friction for {names_text(simulators)}; that for {simulators[0]} was used."
            )
        self._note_defaults(links, reading)

    def of(self, link: Element, collision: Element, placement: Placement) -> Surface | None:
        """Return the friction of a collision at a pose in its link; None if the file has none for it.

        Raises `InputError` if a value is not a number.
        """
        name = link.get("name")
        if self._simulator == GAZEBO and name in self._gazebo:
            return surface_of(self._gazebo[name], placement, f'<gazebo reference="{name}">')
        if self._simulator == BULLET:
            return self._bullet.get(name)
        coefficient = _drake(collision) if self._simulator == DRAKE else None
        return None if coefficient is None else Surface((coefficient, coefficient))

    @property
    def default(self) -> tuple[float, float] | None:
        """Coefficients of links without friction; None if no link of the file has friction."""
        value = _DEFAULTS.get(self._simulator)
        return None if value is None else (value, value)

    def _note_defaults(self, links: Mapping[str, Element], reading: Reading) -> None:
        if not self._simulator:
            return
        bare = [
            name
            for name, link in links.items()
            for own in (self._gazebo if self._simulator == GAZEBO else self._bullet,)
            if link.find("collision") is not None and name not in own
        ]
        if self._simulator == DRAKE:
            bare = [name for name in bare if any(map(_lacks_drake, links[name].all("collision")))]
        if bare:
            reading.notes.append(
                f"Links without friction in the file have the default of {self._simulator},"
                f" {_DEFAULTS[self._simulator]:g}: {names_text(bare)}."
            )


def _gazebo_surface(blocks: Sequence[Element]) -> Element | None:
    """Return a collision of SDF with the friction of Gazebo's extensions for a link; None if they have none.

    As in libsdformat, later blocks add to earlier ones, and a <surface> in a <collision> replaces what came
    before it.
    """
    laws: dict[str, Element] = {}
    others: list[Element] = []
    written = False
    for block in blocks:
        for surface in _surfaces(block):
            friction = surface.find("friction")
            ode = None if friction is None else friction.find("ode") or friction.find("bullet")
            others = [] if friction is None else friction.all("bullet", "torsional")
            laws = {}
            written = ode is not None or bool(others)
            for child in [] if ode is None else ode.children:
                name = {"friction": "mu", "friction2": "mu2"}.get(child.tag, child.tag)
                laws[name] = child
        for child in block.all(*_COEFFICIENTS):
            text = value_of(child)
            if not text:
                raise InputError(f"{child.location}: it has no value", "give it a number")
            laws[_COEFFICIENTS[child.tag]] = Element(child.tag, line=child.line, text=text)
            written = True
    if not written:
        return None
    ode = Element("ode", children=[_renamed(child, name) for name, child in laws.items()])
    friction = Element("friction", children=[ode, *others])
    return Element("collision", children=[Element("surface", children=[friction])])


def _bullet_surface(link: Element) -> Surface | None:
    """Return the friction of PyBullet's extension of a link; None if it has none."""
    values: dict[str, float] = {}
    for contact in link.all("contact"):
        for child in contact.all("lateral_friction", "rolling_friction", "spinning_friction"):
            values[child.tag] = float_of(value_of(child), f"{link.location} {child.tag}")
    if not values:
        return None
    lateral = values.get("lateral_friction", _DEFAULTS[BULLET])
    rolling = values.get("rolling_friction")
    torsional = max(0.0, values.get("spinning_friction", 0.0))
    return Surface(
        (lateral, lateral),
        rolling=None if rolling is None else max(0.0, rolling),
        torsional=torsional,
    )


def _surfaces(block: Element) -> Iterator[Element]:
    for collision in block.all("collision"):
        yield from collision.all("surface")


def _renamed(element: Element, tag: str) -> Element:
    return Element(tag, element.attributes, element.line, element.children, element.text)


def _drake(collision: Element) -> float | None:
    """Return the dynamic coefficient of friction of Drake, or the static one without it; None without both.

    With time steps, Drake uses the dynamic coefficient only.
    """
    holder = collision.find("drake:proximity_properties")
    for tag in ("drake:mu_dynamic", "drake:mu_static"):
        element = None if holder is None else holder.find(tag)
        if element is not None:
            return float_of(value_of(element), f"{collision.location} {tag}")
    return None


def _lacks_drake(collision: Element) -> bool:
    holder = collision.find("drake:proximity_properties")
    return holder is None or not holder.all("drake:mu_dynamic", "drake:mu_static")


def fixed_to_world(extensions: Mapping[str, Sequence[Element]]) -> bool:
    """Return whether Gazebo's extensions make the whole robot static."""
    return any(
        is_true(value_of(flag)) for block in extensions.get("", ()) for flag in block.all("static")
    )

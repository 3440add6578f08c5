"""Vocabulary of MJCF, the format of MuJoCo 4.0, with attributes of older versions that files still have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from snakestudio.robot_files.elements import Element
from snakestudio.robot_files.vocabulary import (
    ANY,
    Ignored,
    Refused,
    Rule,
    Vocabulary,
    rule,
)

_POSE = "pos quat axisangle euler xyaxes zaxis"
_SAVED = Refused("load the file in MuJoCo and save the compiled model")


def _collides(geom: Element) -> bool:
    masks = geom.attributes
    return masks.get("contype", "1").strip() != "0" or masks.get("conaffinity", "1").strip() != "0"


def _with(name: str, *without: str) -> Callable[[Element], bool]:
    """Return whether an element has an attribute with none of these values."""

    def matters(element: Element) -> bool:
        value = element.attributes.get(name, "").strip()
        return bool(value) and value not in without

    return matters


def _moving(key: Element) -> bool:
    """Return whether a keyframe has velocities."""
    return any(part.strip("+-0.") for part in key.attributes["qvel"].split())


# --- reasons --------------------------------------------------------------------------------------

_HARD = "contacts are rigid"
_STOPS = "joint limits are rigid"
_FLUID = "fluids are not simulated"
_DRY = "dry friction in joints is not simulated"
_MOTORS = "motors have no inner states, filters or delays"
_SENSORS = "cameras and sensors are not simulated"
_PLUGINS = "plug-ins of MuJoCo are not loaded"
_START = "a keyframe gives the initial pose only"
_TENDONS = "tendons are not simulated"
_SOFT_BODIES = "soft bodies are not simulated"

_SOFT: Mapping[str, Ignored] = {
    "solref": Ignored(_HARD, ("0.02 1",), _collides),
    "solimp": Ignored(_HARD, ("0.9 0.95 0.001 0.5 2",), _collides),
    "margin gap": Ignored(_HARD, ("0",), _collides),
    "adhesion": Ignored("surfaces do not adhere", ("0",), _collides),
}

# --- elements -------------------------------------------------------------------------------------

_CONFIGURATION = rule(
    children="compiler option default worldbody contact equality actuator keyframe sensor tendon asset"
    " extension deformable",
    children_without_effect="size statistic visual custom",
    used="model",
)

_COMPILER = rule(
    used="angle eulerseq autolimits meshdir assetdir strippath coordinate inertiafromgeom"
    " inertiagrouprange boundmass boundinertia balanceinertia settotalmass",
    without_effect="conflict discardvisual fusestatic passthrough savecanonical savecompiled saveinertial texturedir"
    " usethread convexhull exactmeshinertia",
    ignored={
        "alignfree": Ignored("free joints have the frames of their bodies", ("false",)),
        "fitaabb": Ignored("primitives are fitted to the inertia of meshes", ("false",)),
    },
    children_without_effect="lengthrange",
)

_OPTION = rule(
    used="gravity timestep o_friction",
    without_effect="actuatorgroupdisable ccd_iterations ccd_tolerance cone integrator iterations jacobian"
    " ls_iterations ls_tolerance magnetic noslip_iterations noslip_tolerance sdf_initpoints"
    " sdf_iterations sleep_tolerance solver tolerance apirate mpr_iterations mpr_tolerance",
    ignored={
        "density viscosity": Ignored(_FLUID, ("0",)),
        "wind": Ignored(_FLUID, ("0 0 0",)),
        "impratio": Ignored(_HARD, ("1",)),
        "o_margin o_solimp o_solref": Ignored(_HARD),
        "collision": Ignored("MuJoCo 3 and newer let geoms collide by their masks", ("all",)),
    },
    children="flag",
)

_FLAG = rule(
    used="actuation clampctrl constraint contact damper equality frictionloss gravity limit override passive spring",
    without_effect="autoreset diagexact energy eulerdamp filterparent fwdinv invdiscrete ipc island midphase"
    " multiccd nativeccd refsafe sensor sensornoise sleep speculative warmstart",
)

_BODY = rule(
    used=f"name childclass mocap gravcomp {_POSE}",
    without_effect="fuse simple sleep user",
    children="body frame joint freejoint geom inertial",
    children_without_effect="light site",
    children_ignored={
        "camera": Ignored(_SENSORS),
        "plugin": Ignored(_PLUGINS),
        "attach": _SAVED,
        "composite": _SAVED,
        "flexcomp": _SAVED,
    },
    once="inertial",
)

_JOINT = rule(
    used="name class type pos axis range limited ref damping stiffness springref springdamper frictionloss"
    " armature actuatorfrcrange actuatorfrclimited",
    without_effect="group user",
    ignored={
        "solreflimit": Ignored(_STOPS, ("0.02 1",)),
        "solimplimit": Ignored(_STOPS, ("0.9 0.95 0.001 0.5 2",)),
        "margin": Ignored(_STOPS, ("0",)),
        "solreffriction solimpfriction": Ignored(_DRY, (), _with("frictionloss", "0")),
        "springyield": Ignored("springs are linear", ("0",), _with("stiffness", "0")),
        "actuatorgravcomp": Ignored("motors do not compensate gravity", ("false",)),
    },
)

_GEOM = rule(
    used="name class type size fromto mass density mesh hfield friction condim priority contype conaffinity"
    f" group shellinertia fitscale {_POSE}",
    without_effect="castshadow material rgba user",
    ignored={
        **_SOFT,
        "solmix": Ignored(_HARD, ("1",), _collides),
        "fluidshape": Ignored(_FLUID, ("none",)),
        "fluidcoef": Ignored(_FLUID, (), _with("fluidshape", "none")),
        "surfacevel": Ignored("surfaces do not move along themselves", ("0",), _collides),
    },
    children_ignored={"plugin": Ignored(_PLUGINS)},
)

_MESH = rule(
    used="name class file scale vertex face refpos refquat inertia",
    without_effect="content_type material maxhullvert normal smoothnormal texcoord",
    ignored={"builtin params": Ignored("built-in meshes are not generated")},
    children_ignored={"plugin": Ignored(_PLUGINS)},
)

_PAIR = rule(
    used="class geom1 geom2 friction condim",
    without_effect="name",
    ignored={
        **_SOFT,
        "solreffriction": Ignored(_HARD),
    },
)

_EQUALITY = rule(
    used="active body1 body2 joint1 joint2 site1 site2 tendon1",
    without_effect="anchor class flex cell name polycoef relpose solimp solref tendon2 torquescale",
)

# --- actuators ------------------------------------------------------------------------------------

_ACTUATOR = rule(
    used="name class joint jointinparent gear armature damping forcerange forcelimited",
    # The gait gives the references, so their limits have no effect; other transmissions are noted by the reader.
    without_effect="body cranklength cranksite ctrllimited ctrlrange group inheritrange interp lengthrange refsite"
    " site slidersite tendon user",
    ignored={"delay nsample": Ignored(_MOTORS, ("0",))},
)
_STATES = {
    "dyntype": Ignored(_MOTORS, ("none",)),
    "dynprm actdim actlimited actrange actearly": Ignored(_MOTORS, (), _with("dyntype", "none")),
    "velrange ffrange": Ignored("references of speed and force are not used"),
}
_SERVO = "kp kv dampratio"
_ACTUATORS: dict[str, Rule] = {
    "general": rule("ctrlrange ctrllimited gaintype gainprm biastype biasprm", "input", _STATES),
    "motor": rule("ctrlrange ctrllimited"),
    "position": rule(_SERVO, ignored={"timeconst": Ignored(_MOTORS, ("0",))}),
    "velocity": rule("kv ctrlrange ctrllimited"),
    "intvelocity": rule(_SERVO, "actlimited actrange"),
    "pid": rule(
        _SERVO,
        "input posrange",
        {
            "ki": Ignored("servos have no integral part", ("0",)),
            "imax slewmax": Ignored(_MOTORS, ("0",)),
            "velrange ffrange": Ignored("references of speed and force are not used"),
        },
    ),
}
_ACTUATORS = {tag: _ACTUATOR.with_more(own) for tag, own in _ACTUATORS.items()}
# Joints with these actuators are passive, with a note of the reader.
_PASSIVE = {
    "orientation": "dampratio input kp kv",
    "damper": "kv",
    "cylinder": "area bias diameter timeconst",
    "muscle": "force fpmax fvmax lmax lmin range scale tausmooth timeconst vmax",
    "adhesion": "gain",
    "dcmotor": "cogging controller inductance input lugre motorconst nominal resistance saturation thermal",
    "plugin": "actdim actearly actlimited actrange dynprm dyntype instance plugin",
}
_ACTUATORS |= {
    tag: rule(
        "name class joint jointinparent gear armature damping",
        f"body cranklength cranksite ctrllimited ctrlrange delay forcelimited forcerange group interp lengthrange"
        f" nsample refsite site slidersite tendon user {own}",
        children_without_effect="config",
    )
    for tag, own in _PASSIVE.items()
}

# --- the format -----------------------------------------------------------------------------------

_DEFAULT = rule(
    used="class",
    children="default",
    # Their values count in the elements of the class.
    children_without_effect="mesh texture material joint geom site camera light pair equality tendon"
    f" {' '.join(_ACTUATORS)}",
)

VOCABULARY: Vocabulary = {
    "mujoco": _CONFIGURATION,
    "compiler": _COMPILER,
    "option": _OPTION,
    "flag": _FLAG,
    "default": _DEFAULT,
    "asset": rule(children="mesh hfield", children_without_effect="material skin texture model"),
    "mesh": _MESH,
    "hfield": rule(used="name file size nrow ncol elevation", without_effect="content_type"),
    "worldbody": Rule(children=_BODY.children),
    "body": _BODY,
    "frame": Rule(rule(f"childclass {_POSE}", "name").attributes, _BODY.children),
    "joint": _JOINT,
    "freejoint": rule(
        used="name",
        without_effect="group",
        ignored={
            "align": Ignored("free joints have the frames of their bodies", ("auto", "false"))
        },
    ),
    "geom": _GEOM,
    "inertial": rule(used=f"mass diaginertia fullinertia {_POSE}"),
    "contact": rule(children="pair exclude"),
    "exclude": rule(used="body1 body2", without_effect="name"),
    "pair": _PAIR,
    "equality": rule(children="connect weld joint tendon flex flexvert flexstrain distance"),
    **{
        f"equality.{tag}": _EQUALITY
        for tag in (
            "connect",
            "weld",
            "joint",
            "tendon",
            "flex",
            "flexvert",
            "flexstrain",
            "distance",
        )
    },
    "actuator": rule(children=" ".join(_ACTUATORS)),
    **{tag if tag != "plugin" else "actuator.plugin": own for tag, own in _ACTUATORS.items()},
    "keyframe": rule(children="key"),
    "key": rule(
        used="name qpos",
        without_effect="time",
        ignored={
            "qvel": Ignored(_START, (), _moving),
            "act ctrl mpos mquat plastic": Ignored(_START),
        },
    ),
    "sensor": rule(children_ignored={ANY: Ignored(_SENSORS)}),
    "tendon": rule(children_ignored={ANY: Ignored(_TENDONS)}),
    "extension": rule(children_ignored={ANY: Ignored(_PLUGINS)}),
    "deformable": rule(
        children_without_effect="skin", children_ignored={ANY: Ignored(_SOFT_BODIES)}
    ),
}

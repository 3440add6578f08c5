"""Vocabulary of MJCF, the format of MuJoCo 4.0, with attributes of older versions that files still have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from snakestudio.robot_files.elements import Element
from snakestudio.robot_files.vocabulary import ANY, Ignored, Refused, Rule, Vocabulary, rule

_POSE = "pos quat axisangle euler xyaxes zaxis"
_SAVED = Refused("load the file in MuJoCo and save the compiled model")


def _collides(geom: Element) -> bool:
    masks = geom.attributes
    return masks.get("contype", "1").strip() != "0" or masks.get("conaffinity", "1").strip() != "0"


def _with(name: str, *without: str) -> Callable[[Element], bool]:
    """Whether an element has an attribute with none of these values."""

    def matters(element: Element) -> bool:
        value = element.attributes.get(name, "").strip()
        return bool(value) and value not in without

    return matters


# --- reasons --------------------------------------------------------------------------------------

_HARD = "contacts are rigid"
_STOPS = "joint limits are rigid"
_FLUID = "fluids are not simulated"
_ROTOR = "rotor inertia is not simulated"
_DRY = "dry friction in joints is not simulated"
_MOTORS = "motors have no inner states, filters or delays"
_SENSORS = "cameras and sensors are not simulated"
_PLUGINS = "plug-ins of MuJoCo are not loaded"
_START = "a keyframe gives the initial pose only"
_ALWAYS = "this part of the physics cannot be switched off"
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
    used="gravity timestep",
    without_effect="actuatorgroupdisable ccd_iterations ccd_tolerance cone integrator iterations jacobian"
    " ls_iterations ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction sdf_initpoints"
    " sdf_iterations sleep_tolerance solver tolerance apirate collision mpr_iterations mpr_tolerance",
    ignored={
        "density viscosity": Ignored(_FLUID, ("0",)),
        "wind": Ignored(_FLUID, ("0 0 0",)),
        "impratio": Ignored(_HARD, ("1",)),
        "o_margin o_solimp o_solref": Ignored(_HARD),
    },
    children="flag",
)

_FLAG = rule(
    without_effect="autoreset diagexact energy eulerdamp filterparent fwdinv invdiscrete ipc island midphase"
    " multiccd nativeccd refsafe sensor sensornoise sleep speculative warmstart",
    ignored={
        "actuation clampctrl constraint contact damper equality frictionloss gravity limit passive spring": Ignored(
            _ALWAYS, ("enable",)
        ),
        "override": Ignored("contacts have the values of their geoms", ("disable",)),
    },
)

_BODY = rule(
    used=f"name childclass mocap {_POSE}",
    without_effect="fuse simple sleep user",
    ignored={"gravcomp": Ignored("gravity acts on all bodies equally", ("0",))},
    children="body frame joint freejoint geom inertial",
    children_without_effect="light site",
    children_ignored={
        "camera": Ignored(_SENSORS),
        "plugin": Ignored(_PLUGINS),
        "attach": _SAVED,
        "composite": _SAVED,
        "flexcomp": _SAVED,
        "replicate": _SAVED,
    },
    once="inertial",
)

_JOINT = rule(
    used="name class type pos axis range limited ref damping stiffness springref frictionloss armature"
    " actuatorfrcrange",
    without_effect="group user",
    ignored={
        "solreflimit": Ignored(_STOPS, ("0.02 1",)),
        "solimplimit": Ignored(_STOPS, ("0.9 0.95 0.001 0.5 2",)),
        "margin": Ignored(_STOPS, ("0",)),
        "solreffriction solimpfriction": Ignored(_DRY, (), _with("frictionloss", "0")),
        "springdamper": Ignored("springs have the stiffness in the file", ("0 0",)),
        "springyield": Ignored("springs are linear", ("0",), _with("stiffness", "0")),
        "actuatorfrclimited": Ignored("actuatorfrcrange always limits the motor", ("auto", "true")),
        "actuatorgravcomp": Ignored("gravity acts on all bodies equally", ("false",)),
    },
)

_GEOM = rule(
    used=f"name class type size fromto mass density mesh hfield friction condim contype conaffinity group shellinertia"
    f" fitscale {_POSE}",
    without_effect="castshadow material rgba user",
    ignored={
        **_SOFT,
        "solmix": Ignored(_HARD, ("1",), _collides),
        "priority": Ignored("the larger friction counts in a contact", ("0",), _collides),
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
    used="class geom1 geom2 friction",
    without_effect="name",
    ignored={
        **_SOFT,
        "solreffriction": Ignored(_HARD),
        "condim": Ignored("contacts have the friction of their geoms", ("3",)),
    },
)

_EQUALITY = rule(
    used="active body1 body2 joint1 joint2 site1 site2 tendon1",
    without_effect="anchor class flex cell name polycoef relpose solimp solref tendon2 torquescale",
)

# --- actuators ------------------------------------------------------------------------------------

_ACTUATOR = rule(
    used="name class joint jointinparent gear",
    without_effect="body cranklength cranksite group interp lengthrange refsite site slidersite tendon user",
    ignored={
        "armature": Ignored(_ROTOR, ("0",)),
        "damping": Ignored("damping of actuators is not simulated", ("0",)),
        "delay nsample": Ignored(_MOTORS, ("0",)),
    },
)
_STATES = rule(
    ignored={
        "dyntype": Ignored(_MOTORS, ("none",)),
        "gaintype": Ignored("actuators have constant gains", ("fixed",)),
        "gainprm": Ignored("actuators have the gains of their bias", ("1",)),
        "inheritrange": Ignored("the gait gives the references", ("0",)),
        "input velrange ffrange": Ignored("the gait gives the references"),
        "dynprm actdim actlimited actrange actearly": Ignored(
            _MOTORS, (), _with("dyntype", "none")
        ),
    }
)
_DAMPING = {
    "dampratio timeconst inheritrange": Ignored("these values of servos are not read", ("0",))
}


def _actuator(
    used: str, without_effect: str = "", ignored: Mapping[str, Ignored] = MappingProxyType({})
) -> Rule:
    return _ACTUATOR.with_more(rule(used, without_effect, ignored))


_ACTUATORS: dict[str, Rule] = {
    "general": _actuator(
        "forcerange forcelimited biastype biasprm", "ctrlrange ctrllimited"
    ).with_more(_STATES),
    "motor": _actuator("ctrlrange ctrllimited forcerange forcelimited"),
    "position": _actuator(
        "kp kv forcerange forcelimited", "ctrlrange ctrllimited", ignored=_DAMPING
    ),
    "velocity": _actuator("kv forcerange forcelimited", "ctrlrange ctrllimited"),
}
_OTHER_ACTUATORS = "intvelocity orientation pid damper cylinder muscle adhesion dcmotor plugin"

# --- the format -----------------------------------------------------------------------------------

_DEFAULT = rule(
    used="class",
    children="default",
    # Their values count in the elements of the class.
    children_without_effect="mesh texture material joint geom site camera light pair equality tendon"
    f" {' '.join(_ACTUATORS)} {_OTHER_ACTUATORS}",
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
    "contact": rule(children="pair", children_without_effect="exclude"),
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
    "actuator": rule(
        children=" ".join(_ACTUATORS),
        children_ignored={
            _OTHER_ACTUATORS: Ignored("only servos, motors and general actuators are simulated")
        },
    ),
    **{f"actuator.{tag}": own for tag, own in _ACTUATORS.items()},
    "keyframe": rule(children="key"),
    "key": rule(
        used="name qpos",
        without_effect="time",
        ignored={"qvel act ctrl mpos mquat plastic": Ignored(_START)},
    ),
    "sensor": rule(children_ignored={ANY: Ignored(_SENSORS)}),
    "tendon": rule(children_ignored={ANY: Ignored(_TENDONS)}),
    "extension": rule(children_ignored={ANY: Ignored(_PLUGINS)}),
    "deformable": rule(
        children_without_effect="skin", children_ignored={ANY: Ignored(_SOFT_BODIES)}
    ),
}

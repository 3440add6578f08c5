"""Vocabulary of SDF 1.4 to 1.12, after included models have replaced their includes."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.robot_files.elements import Element
from snakestudio.robot_files.vocabulary import Ignored, Vocabulary, rule

# --- reasons --------------------------------------------------------------------------------------

_HARD = "contacts are rigid"
_BOUNCE = "contacts are inelastic"
_STOPS = "joint limits are rigid"
_FLUID = "fluids and wind are not simulated"
_SENSORS = "cameras and sensors are not simulated"
_PLUGINS = "plug-ins of Gazebo are not loaded"
_SELF = "links do not collide with each other"
_FREE = "all links of a robot move by its joints and contacts"
_STATES = "the robot starts at rest with all joints at 0"
_CROWDS = "actors, roads and populations are not simulated"
_FRAMES = "poses are in the frames of models and worlds"
_SLIP = "friction does not depend on the speed"
_PATCH = "the size of contact patches is not simulated"
_JOINT_MOTORS = "motors have positions or torques as references"

_NO = ("false", "0", "False")

_HARMLESS = (
    "physics",
    "usercommands",
    "scenebroadcaster",
    "sensors",
    "contact",
    "imu",
    "forcetorque",
    "publisher",
    "broadcaster",
    "roscontrol",
    "ros2control",
    "rosapi",
    "rosinit",
    "rosstate",
)
"""Parts of the names of plug-ins that report something or pass on commands; punctuation does not count."""


def is_physical_plugin(plugin: Element) -> bool:
    """Return whether a plug-in can influence the motion of the robot and is not the motor of a joint."""
    if plugin.text_of("joint_name") or plugin.text_of("jointName"):
        return False
    text = (plugin.get("name") + plugin.get("filename")).lower()
    name = "".join(character for character in text if character.isalnum())
    return not any(part in name for part in _HARMLESS)


def _any_number(*keys: str) -> Callable[[Element], bool]:
    """Return whether one of these descendants is not 0."""

    def matters(element: Element) -> bool:
        texts = [each.text.strip() for each in element.iter() if each.tag in keys]
        return any(text.strip("0. -+") for text in texts)

    return matters


def _has_children(element: Element) -> bool:
    return bool(element.children)


def _is_automatic(params: Element) -> bool:
    return bool(params.children)


def _has_patch(torsional: Element) -> bool:
    """Return whether the patch radius depends on the depth of the contact."""
    fixed = torsional.text_of("use_patch_radius", "true").lower() not in ("false", "0")
    return not fixed and _any_number("surface_radius")(torsional)


_PLUGIN = Ignored(_PLUGINS, matters=is_physical_plugin)
_FRAME = {"frame": Ignored(_FRAMES)}
_POSED = "pose"

_SOFT = {
    "kp kd soft_cfm soft_erp max_vel min_depth": Ignored(_HARD),
    "split_impulse split_impulse_penetration_threshold": Ignored(_HARD),
}

_AXIS = rule(
    children="xyz dynamics limit mimic use_parent_model_frame",
    children_ignored={"initial_position": Ignored(_STATES, ("0",))},
)

_AXIS_LIMIT = rule(
    children="lower upper effort velocity",
    children_ignored={
        "stiffness": Ignored(_STOPS, ("1e8",)),
        "dissipation": Ignored(_STOPS, ("1",)),
    },
)

_JOINT_ODE = rule(
    children="limit suspension",
    children_without_effect="cfm_damping implicit_spring_damper fudge_factor provide_feedback",
    children_ignored={
        "cfm": Ignored(_STOPS, ("0",)),
        "erp": Ignored(_STOPS, ("0.2",)),
        "bounce": Ignored(_BOUNCE, ("0",)),
        "max_force velocity": Ignored(_JOINT_MOTORS, ("0",)),
    },
)

_ODE_LIMIT = rule(
    children_ignored={"cfm": Ignored(_STOPS, ("0",)), "erp": Ignored(_STOPS, ("0.2",))}
)

VOCABULARY: Vocabulary = {
    "sdf": rule(
        used="version",
        children="model world",
        children_without_effect="light",
        children_ignored={"actor": Ignored(_CROWDS)},
    ),
    "world": rule(
        without_effect="name",
        children="model frame joint include physics gravity",
        children_without_effect="atmosphere audio gui light magnetic_field scene spherical_coordinates",
        children_ignored={
            "wind": Ignored(_FLUID, matters=_any_number("linear_velocity")),
            "actor road population": Ignored(_CROWDS),
            "state": Ignored(_STATES),
            "plugin": _PLUGIN,
        },
    ),
    "world.physics": rule(
        used="default",
        without_effect="name type",
        children="gravity max_step_size",
        children_without_effect="bullet dart magnetic_field max_contacts ode real_time_factor"
        " real_time_update_rate simbody",
    ),
    "model": rule(
        used="name canonical_link placement_frame",
        without_effect="namespace",
        children="frame include joint link model pose static",
        children_without_effect="allow_auto_disable gripper namespace",
        children_ignored={
            "self_collide": Ignored(_SELF, _NO),
            "enable_wind": Ignored(_FLUID, _NO),
            "model_state scale": Ignored(_STATES),
            "plugin": _PLUGIN,
        },
    ),
    "include": rule(
        used="merge",
        children="uri name pose placement_frame static",
        children_without_effect="namespace",
        children_ignored={"model_state": Ignored(_STATES), "plugin": _PLUGIN},
    ),
    "link": rule(
        used="name",
        children="pose inertial collision visual gravity",
        children_without_effect="audio_sink audio_source battery light must_be_base_link particle_emitter"
        " projector",
        children_ignored={
            "sensor": Ignored(_SENSORS),
            "self_collide": Ignored(_SELF, _NO),
            "enable_wind": Ignored(_FLUID, _NO),
            "kinematic": Ignored(_FREE, _NO),
            "velocity_decay": Ignored(_FLUID, matters=_any_number("linear", "angular")),
            "acceleration velocity wrench": Ignored(_STATES),
            **_FRAME,
        },
        once="pose inertial",
    ),
    "inertial": rule(
        used="auto",
        children="density inertia mass pose",
        children_ignored={
            "auto_inertia_params": Ignored(
                "masses of meshes are those of their volume", matters=_is_automatic
            ),
            "fluid_added_mass": Ignored(_FLUID, matters=_has_children),
            **_FRAME,
        },
    ),
    "inertia": rule(children="ixx ixy ixz iyy iyz izz"),
    "collision": rule(
        used="name",
        children="density geometry pose surface",
        children_without_effect="laser_retro max_contacts",
        children_ignored={
            "auto_inertia_params": Ignored(
                "masses of meshes are those of their volume", matters=_is_automatic
            ),
            **_FRAME,
        },
        once="pose geometry surface",
    ),
    "visual": rule(
        used="name",
        children="geometry pose",
        children_without_effect="cast_shadows frame laser_retro material meta plugin transparency"
        " visibility_flags",
    ),
    "geometry": rule(
        children="box capsule cone cylinder ellipsoid empty heightmap mesh plane polyline sphere",
        children_ignored={"image": Ignored("images are not made into obstacles")},
    ),
    "box": rule(children="size"),
    "ellipsoid": rule(children="radii"),
    "sphere": rule(children="radius"),
    "cylinder": rule(children="length radius"),
    "capsule": rule(children="length radius"),
    "cone": rule(children="length radius"),
    "plane": rule(children="normal", children_without_effect="size"),
    "polyline": rule(children="height point"),
    "mesh": rule(
        without_effect="optimization",
        children="scale uri",
        children_without_effect="convex_decomposition",
        children_ignored={"submesh": Ignored("all of a mesh is read")},
    ),
    "heightmap": rule(
        children="pos size uri",
        children_without_effect="blend sampling texture use_terrain_paging",
    ),
    "surface": rule(
        children="contact friction",
        children_ignored={
            "bounce": Ignored(_BOUNCE, matters=_any_number("restitution_coefficient")),
            "soft_contact": Ignored(_HARD),
        },
    ),
    "surface.friction": rule(children="bullet ode torsional"),
    "friction.ode": rule(
        children="fdir1 mu mu2", children_ignored={"slip1 slip2": Ignored(_SLIP, ("0",))}
    ),
    "fdir1": rule(used="gz:expressed_in ignition:expressed_in"),
    "friction.bullet": rule(children="fdir1 friction friction2 rolling_friction"),
    "friction.torsional": rule(
        children="coefficient patch_radius use_patch_radius",
        children_without_effect="ode",
        children_ignored={"surface_radius": Ignored(_PATCH, ("0",))},
    ),
    "surface.contact": rule(
        children="bullet collide_bitmask collide_without_contact ode",
        children_without_effect="category_bitmask collide_without_contact_bitmask poissons_ratio",
        children_ignored={"elastic_modulus": Ignored(_HARD, ("-1", "0"))},
    ),
    "contact.ode": rule(children_ignored=_SOFT),
    "contact.bullet": rule(children_ignored=_SOFT),
    "joint": rule(
        used="name type",
        children="axis axis2 child parent physics pose",
        children_without_effect="gearbox_ratio gearbox_reference_body screw_thread_pitch thread_pitch",
        children_ignored={
            "sensor": Ignored(_SENSORS),
            "angle": Ignored(_STATES, ("0",)),
            **_FRAME,
        },
        once="axis axis2 pose",
    ),
    "axis": _AXIS,
    "axis2": _AXIS,
    "xyz": rule(used="expressed_in"),
    "dynamics": rule(children="damping friction spring_reference spring_stiffness"),
    "axis.limit": _AXIS_LIMIT,
    "axis2.limit": _AXIS_LIMIT,
    "mimic": rule(
        used="joint", without_effect="axis", children_without_effect="multiplier offset reference"
    ),
    "joint.physics": rule(children="ode", children_without_effect="provide_feedback simbody"),
    "physics.ode": _JOINT_ODE,
    "ode.limit": _ODE_LIMIT,
    "ode.suspension": _ODE_LIMIT,
    "frame": rule(used="attached_to name placement_frame", children="pose"),
    "pose": rule(used="degrees frame relative_to rotation_format"),
}
"""The entries of <include> apply to the file before its included models are read."""

"""Vocabulary of URDF with the extensions of Gazebo, PyBullet, Drake and ros_control."""

from __future__ import annotations

from snakestudio.robot_files.elements import Element
from snakestudio.robot_files.sdf_vocabulary import VOCABULARY as SDF
from snakestudio.robot_files.sdf_vocabulary import is_physical_plugin
from snakestudio.robot_files.vocabulary import Ignored, Vocabulary, rule

# --- reasons --------------------------------------------------------------------------------------

_HARD = "contacts are rigid"
_BOUNCE = "contacts are inelastic"
_STOPS = "joint limits are rigid"
_SOFT_LIMITS = "soft limits of joints are not simulated"
_FLUID = "fluids and wind are not simulated"
_SENSORS = "cameras and sensors are not simulated"
_PLUGINS = "plug-ins of Gazebo are not loaded"
_SELF = "links do not collide with each other"
_FREE = "all links of a robot move by its joints and contacts"
_ROTOR = "rotor inertia is not simulated"
_SCALED = "inertias are those of the file"
_ACCELERATION = "accelerations of joints are not limited"
_START = "the robot starts on the ground with all joints at 0"
_LOOPS = "springs, bushings and constraints between links are not simulated"
_OTHER = "it is for other programs"
_DIRECT = "motors act on the joints directly"

_NO = ("false", "0", "no", "False")


def _is_set(element: Element) -> bool:
    """Return whether a flag or number of an extension is neither false nor 0."""
    value = (element.get("value") or element.text).strip()
    return value.lower() not in _NO and bool(value.strip("0. -+"))


def _is_gear(element: Element) -> bool:
    return (element.get("value") or element.text).strip() not in ("", "1", "1.0", "+1")


_VALUE = rule(used="value")

_GAZEBO_SOFT = "kp kd minDepth maxVel min_depth max_vel"

VOCABULARY: Vocabulary = {
    "robot": rule(
        used="name",
        without_effect="version",
        children="link joint gazebo transmission ros2_control",
        children_without_effect="material group_state group disable_collisions end_effector virtual_joint"
        " drake:collision_filter_group drake:ignore_collision_filter_groups",
        children_ignored={
            "origin": Ignored(_START),
            "sensor": Ignored(_SENSORS),
            "loop_joint drake:joint drake:linear_spring_damper drake:linear_bushing_rpy"
            " drake:ball_constraint drake:tendon_constraint": Ignored(_LOOPS),
            "mujoco": Ignored(_OTHER),
        },
    ),
    "link": rule(
        used="name",
        without_effect="type",
        children="inertial collision visual contact",
        children_without_effect="audio_source verbose self_collision_checking",
        children_ignored={"sensor": Ignored(_SENSORS)},
        once="inertial",
    ),
    "inertial": rule(children="origin mass inertia", once="origin mass inertia"),
    "origin": rule(used="xyz rpy quat_xyzw"),
    "mass": _VALUE,
    "inertia": rule(used="ixx ixy ixz iyy iyz izz"),
    "collision": rule(
        used="name",
        without_effect="group concave mask type",
        children="origin geometry drake:proximity_properties",
        children_without_effect="verbose contact_coefficients material drake:acceptingRenderer",
        children_ignored={
            "surface": Ignored("simulators read surfaces of a URDF in <gazebo> only")
        },
        once="origin geometry",
    ),
    "visual": rule(
        used="name",
        children="origin geometry",
        children_without_effect="material meta drake:acceptingRenderer drake:perception_properties"
        " drake:illustration_properties verbose",
        once="origin geometry",
    ),
    "geometry": rule(
        children="box cylinder sphere capsule mesh",
        children_ignored={
            "plane": Ignored("planes are parts of the surroundings only"),
            "ellipsoid drake:ellipsoid drake:capsule cdf convex empty": Ignored(
                "such shapes are not simulated"
            ),
        },
    ),
    "box": rule(used="size"),
    "cylinder": rule(used="radius length"),
    "capsule": rule(used="radius length"),
    "sphere": rule(used="radius"),
    "mesh": rule(used="filename scale", children_without_effect="drake:declare_convex"),
    "drake:proximity_properties": rule(
        children="drake:mu_dynamic drake:mu_static",
        children_without_effect="drake:mesh_resolution_hint",
        children_ignored={
            "drake:rigid_hydroelastic drake:compliant_hydroelastic drake:soft_hydroelastic"
            " drake:hydroelastic_modulus drake:hunt_crossley_dissipation drake:point_contact_stiffness"
            " drake:relaxation_time drake:hydroelastic_margin": Ignored(_HARD),
        },
    ),
    "drake:mu_dynamic": _VALUE,
    "drake:mu_static": _VALUE,
    "contact": rule(
        children="lateral_friction rolling_friction spinning_friction",
        children_without_effect="friction_anchor",
        children_ignored={
            "stiffness damping contact_cfm contact_erp": Ignored(_HARD),
            "restitution": Ignored(_BOUNCE, matters=_is_set),
            "inertia_scaling": Ignored(_SCALED, matters=_is_gear),
        },
    ),
    "lateral_friction": _VALUE,
    "rolling_friction": _VALUE,
    "spinning_friction": _VALUE,
    "joint": rule(
        used="name type",
        children="parent child origin axis limit dynamics mimic",
        children_without_effect="calibration safety_length_type drake:controller_gains",
        children_ignored={
            "safety_controller": Ignored(_SOFT_LIMITS),
            "drake:screw_thread_pitch": Ignored("joints turn without sliding"),
            "drake:mimic": Ignored("joints turn independently"),
        },
        once="parent child origin axis limit dynamics mimic",
    ),
    "parent": rule(used="link"),
    "child": rule(used="link"),
    "axis": rule(used="xyz"),
    "limit": rule(
        used="lower upper effort velocity",
        ignored={
            "acceleration deceleration jerk drake:acceleration drake:jerk": Ignored(
                _ACCELERATION, ("0",)
            )
        },
    ),
    "dynamics": rule(
        used="damping friction",
        ignored={
            "spring_reference spring_stiffness": Ignored(
                "URDF has springs in Gazebo's extension only", ("0",)
            )
        },
    ),
    "mimic": rule(used="joint", without_effect="multiplier offset"),
    "gazebo": rule(
        used="reference",
        without_effect="xmlns",
        children="mu mu1 mu2 fdir1 gravity turnGravityOff springStiffness springReference static collision",
        children_without_effect="material visual maxContacts laserRetro canonicalBody provideFeedback"
        " implicitSpringDamper cfmDamping fudgeFactor disableFixedJointLumping preserveFixedJoint light"
        " projector audio gripper physics pose allow_auto_disable frame joint",
        children_ignored={
            _GAZEBO_SOFT: Ignored(_HARD),
            "stopCfm stopErp stopKp stopKd stop_cfm stop_erp": Ignored(_STOPS),
            "dampingFactor": Ignored(_FLUID, matters=_is_set),
            "velocity_decay": Ignored(_FLUID),
            "selfCollide self_collide": Ignored(_SELF, matters=_is_set),
            "kinematic": Ignored(_FREE, matters=_is_set),
            "enable_wind": Ignored(_FLUID, matters=_is_set),
            "initial_joint_position initialJointPosition initial_position": Ignored(
                _START, matters=_is_set
            ),
            "sensor": Ignored(_SENSORS),
            "plugin": Ignored(_PLUGINS, matters=is_physical_plugin),
            "link model": Ignored("models are read from SDF files only"),
        },
    ),
    "mu": _VALUE,
    "mu1": _VALUE,
    "mu2": _VALUE,
    "fdir1": _VALUE,
    "gravity": _VALUE,
    "turnGravityOff": _VALUE,
    "springStiffness": _VALUE,
    "springReference": _VALUE,
    "static": _VALUE,
    "gazebo.collision": rule(
        without_effect="name",
        children="surface",
        children_without_effect="max_contacts laser_retro",
    ),
    **{
        key: SDF[key]
        for key in ("surface.friction", "friction.ode", "friction.bullet", "friction.torsional")
    },
    "surface": rule(
        children="friction",
        children_ignored={"bounce": Ignored(_BOUNCE), "contact soft_contact": Ignored(_HARD)},
    ),
    "transmission": rule(
        without_effect="name type",
        children="joint actuator",
        children_without_effect="type leftActuator rightActuator flexJoint rollJoint gap_joint passive_joint"
        " use_simulated_gripper_joint robotNamespace plugin motorTorqueConstant simulated_actuated_joint"
        " compensator pid topic_name",
        children_ignored={"mechanicalReduction": Ignored(_DIRECT, matters=_is_gear)},
    ),
    "transmission.actuator": rule(
        without_effect="name",
        children_without_effect="hardwareInterface motorTorqueConstant",
        children_ignored={
            "mechanicalReduction drake:gear_ratio": Ignored(_DIRECT, matters=_is_gear),
            "drake:rotor_inertia": Ignored(_ROTOR, matters=_is_set),
        },
    ),
    "transmission.joint": rule(
        used="name",
        without_effect="role",
        children_without_effect="hardwareInterface hwInterface role jointOffset offset mechanicalReduction",
    ),
    "ros2_control": rule(
        without_effect="name type rw_rate is_async",
        children="joint",
        children_without_effect="hardware sensor gpio transmission",
    ),
    "ros2_control.joint": rule(
        used="name",
        without_effect="type",
        children_without_effect="command_interface state_interface param limits mimic",
    ),
}

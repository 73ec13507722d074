#include "format/mjcf_words.h"

#include <stddef.h>

#define TURN "quat axisangle xyaxes zaxis euler"
#define IN_BODY                                                                            \
  "body frame replicate inertial joint freejoint geom site camera light plugin composite " \
  "flexcomp attach"
#define ACTUATORS                                                                       \
  "general motor position velocity intvelocity orientation pid damper cylinder muscle " \
  "adhesion dcmotor"
#define TARGET "joint jointinparent tendon site refsite slidersite cranksite cranklength"
#define FORCE "ctrllimited forcelimited ctrlrange forcerange gear damping armature"
#define CONTROL_NOISE "lengthrange nsample interp delay"
#define SOLVER "solref solimp"

const dls_mjcf_words dls_mjcf_rows[] = {
    {"mujoco",
     "compiler option size statistic visual default extension custom asset worldbody contact "
     "deformable tendon equality actuator sensor keyframe include",
     NULL, NULL, NULL, "model"},
    {"compiler", "lengthrange",
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle "
     "fitaabb eulerseq meshdir assetdir inertiafromgeom inertiagrouprange exactmeshinertia",
     "fusestatic alignfree", NULL,
     "discardvisual texturedir usethread saveinertial conflict convexhull"},
    {"option", "flag", "gravity collision", NULL,
     "wind magnetic density viscosity timestep apirate impratio tolerance ls_tolerance "
     "noslip_tolerance ccd_tolerance mpr_tolerance sleep_tolerance o_margin " SOLVER
     " o_solref o_solimp o_friction integrator cone jacobian solver iterations ls_iterations "
     "noslip_iterations ccd_iterations mpr_iterations sdf_iterations sdf_initpoints "
     "actuatorgroupdisable",
     NULL},
    {"flag", NULL,
     "constraint equality frictionloss limit contact spring damper passive gravity clampctrl "
     "filterparent actuation",
     NULL, "override sleep",
     "warmstart refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd energy "
     "fwdinv invdiscrete sensornoise diagexact"},

    {"default",
     "default mesh material joint geom site camera light pair equality tendon " ACTUATORS, "class",
     NULL, NULL, NULL},
    {"default/equality", NULL, "active", NULL, SOLVER, NULL},
    {"default/tendon", NULL, "limited range frictionloss springlength stiffness damping", NULL,
     "solreflimit solimplimit solreffriction solimpfriction margin armature actuatorfrclimited "
     "actuatorfrcrange",
     "group width material rgba user"},
    {"asset", "mesh hfield skin texture material model", NULL, NULL, NULL, NULL},
    {"mesh", "plugin", "name class file vertex face refpos refquat scale inertia", NULL,
     "maxhullvert", "content_type normal texcoord smoothnormal material"},

    {"worldbody", IN_BODY, NULL, NULL, NULL, "name"},
    {"body", IN_BODY, "name childclass pos gravcomp " TURN, "mocap", NULL, "sleep simple user"},
    {"frame", IN_BODY, "name childclass pos " TURN, NULL, NULL, NULL},
    {"replicate", IN_BODY, "count offset euler sep childclass", NULL, NULL, NULL},
    {"inertial", NULL, "pos mass diaginertia fullinertia " TURN, NULL, NULL, NULL},
    {"joint", NULL,
     "name class type pos axis springdamper limited stiffness range ref springref armature "
     "damping frictionloss",
     "actuatorgravcomp",
     "actuatorfrclimited actuatorfrcrange solreflimit solimplimit solreffriction solimpfriction "
     "margin",
     "group user"},
    {"freejoint", NULL, "name", "align", NULL, "group"},
    {"geom", "plugin",
     "name class type contype conaffinity condim group priority size friction mass density "
     "shellinertia fromto pos mesh fitscale " TURN,
     NULL, "hfield margin gap solmix surfacevel adhesion fluidshape fluidcoef " SOLVER,
     "material rgba user"},
    {"site", NULL, "name class pos fromto size type " TURN, NULL, NULL, "group material rgba user"},

    {"contact", "pair exclude", NULL, NULL, NULL, NULL},
    {"pair", NULL, "class geom1 geom2 condim friction", NULL,
     "solreffriction gap margin adhesion " SOLVER, "name"},
    {"exclude", NULL, "body1 body2", NULL, NULL, "name"},

    {"equality", "connect weld joint tendon flex flexvert flexstrain distance", NULL, NULL, NULL,
     NULL},
    {"connect", NULL, "name class active body1 body2 anchor site1 site2", NULL, SOLVER, NULL},
    {"weld", NULL, "name class active body1 body2 anchor relpose site1 site2", NULL,
     "torquescale " SOLVER, NULL},
    {"equality/joint", NULL, "name class active joint1 joint2 polycoef", NULL, SOLVER, NULL},

    {"tendon", "spatial fixed", NULL, NULL, NULL, NULL},
    {"fixed", "joint", "name class limited range frictionloss springlength stiffness damping", NULL,
     "armature margin solreflimit solimplimit solreffriction solimpfriction actuatorfrclimited "
     "actuatorfrcrange",
     "group width material rgba user"},
    {"fixed/joint", NULL, "joint coef", NULL, NULL, NULL},

    {"actuator", ACTUATORS " plugin", NULL, NULL, NULL, NULL},
    {"general", NULL,
     "name class gaintype biastype gainprm biasprm dyntype actlimited actrange " FORCE " " TARGET,
     "dynprm", "body input velrange ffrange actdim actearly " CONTROL_NOISE, "group user"},
    {"motor", NULL, "name class " FORCE " " TARGET, NULL, CONTROL_NOISE, "group user"},
    {"position", NULL, "name class kp kv dampratio inheritrange " FORCE " " TARGET, "timeconst",
     CONTROL_NOISE, "group user"},
    {"velocity", NULL, "name class kv " FORCE " " TARGET, NULL, CONTROL_NOISE, "group user"},
    {"intvelocity", NULL,
     "name class kp kv dampratio inheritrange actlimited actrange " FORCE " " TARGET, NULL,
     CONTROL_NOISE, "group user"},
    {"damper", NULL, "name class kv " FORCE " " TARGET, NULL, CONTROL_NOISE, "group user"},
    {"cylinder", NULL, "name class area diameter bias " FORCE " " TARGET, "timeconst",
     CONTROL_NOISE, "group user"},
    {"muscle", NULL, "name class " FORCE " " TARGET, NULL,
     "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax " CONTROL_NOISE,
     "group user"},
    {"adhesion", NULL, "name class body ctrlrange forcelimited forcerange ctrllimited gain", NULL,
     CONTROL_NOISE, "group user"},
    {"orientation", NULL, "name class " FORCE " " TARGET, NULL,
     "kp kv dampratio input " CONTROL_NOISE, "group user"},
    {"pid", NULL, "name class " FORCE " " TARGET, NULL,
     "posrange velrange ffrange inheritrange kp kv dampratio ki imax slewmax input " CONTROL_NOISE,
     "group user"},
    {"dcmotor", NULL, "name class " FORCE " " TARGET, NULL,
     "motorconst resistance nominal saturation inductance cogging controller thermal lugre "
     "input " CONTROL_NOISE,
     "group user"},

    {"keyframe", "key", NULL, NULL, NULL, NULL},
    {"key", NULL, "name time qpos qvel ctrl act", NULL, "mpos mquat", NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

const dls_mjcf_skip dls_mjcf_skips[] = {
    {"mujoco/size", "size", NULL},
    {"mujoco/statistic", "statistic", NULL},
    {"mujoco/visual", "visual", NULL},
    {"mujoco/extension", "extension", NULL},
    {"mujoco/custom", "custom", NULL},
    {"mujoco/sensor", "sensor", NULL},
    {"compiler/lengthrange", "compiler lengthrange", NULL},
    {"asset/hfield", "asset hfield", NULL},
    {"asset/skin", "asset skin", NULL},
    {"asset/texture", "asset texture", NULL},
    {"asset/material", "asset material", NULL},
    {"default/material", "asset material", NULL},
    {"default/camera", "camera", NULL},
    {"default/light", "light", NULL},
    {"deformable/skin", "deformable skin", NULL},
    {"camera", "camera", NULL},
    {"light", "light", NULL},
    {"plugin", "plugin", NULL},
    {"spatial", "spatial tendon", NULL},
    {"equality/tendon", "equality tendon", NULL},
    {"equality/distance", NULL, "it was removed in MuJoCo 2.2.2"},
    {"equality/flex", NULL, "deformable bodies are not supported"},
    {"equality/flexvert", NULL, "deformable bodies are not supported"},
    {"equality/flexstrain", NULL, "deformable bodies are not supported"},
    {"mujoco/deformable", NULL, "deformable bodies are not supported"},
    {"flexcomp", NULL, "deformable bodies are not supported"},
    {"composite", NULL, "composite bodies are not supported; MuJoCo can save the model without"},
    {"attach", NULL, "models in models are not supported; MuJoCo can save the model as one"},
    {"asset/model", NULL, "models in models are not supported; MuJoCo can save the model as one"},
    {NULL, NULL, NULL},
};

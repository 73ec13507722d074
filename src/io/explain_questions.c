// What the questions of a report ask, how they are answered and what proves the answer. This is the
// only home of these texts: the report, the help and `delassus explain` take them from here.
#include "io/explain.h"

const dls_topic dls_question_topics[DLS_QUESTION_COUNT] = {
    [DLS_MASS_DEFINITE] =
        {"mass_definite", "Does every motion have inertia?", "inertia;mass matrix definite",
         "does every motion have inertia?",
         "Is the mass matrix M positive definite: does every motion cost kinetic energy?",
         "Eigenvalues of M, scaled to a diagonal of about 1.",
         "pivots > 0 with M = L diag(pivots) L^T, by elimination.",
         "direction: a motion with M direction = 0.", 5, "ver.1"},
    [DLS_CONSTRAINTS_INDEPENDENT] =
        {"constraints_independent", "Are the constraints independent?",
         "redundant constraints;these forces cancel",
         "do the closed contacts and joints have independent gradients?",
         "Are the gradients of all closed contacts and joints linearly independent? If not, some "
         "of "
         "them are redundant and forces may be hyperstatic.",
         "Singular values of the scaled gradients (G_b G_u).",
         "coordinates: the rows of (G_b G_u) there form a nonsingular square matrix.",
         "lambda_b, lambda_u, not all zero, with G_b lambda_b + G_u lambda_u = 0: forces that "
         "cancel.",
         5, "ver.2"},
    [DLS_CONSTRAINTS_COMPATIBLE] =
        {"constraints_compatible", "Are the constraints compatible?", "contradictory accelerations",
         "can the bilateral constraints hold together?",
         "Is there an acceleration that keeps all bilateral constraints: G_b^T v' + b_b = 0?",
         "Least squares on the range of G_b.", "acceleration with G_b^T acceleration + b_b = 0.",
         "lambda_b with G_b lambda_b = 0 and b_b^T lambda_b < 0: together they ask for "
         "contradictory accelerations.",
         5, "ver.3"},
    [DLS_MFCQ] = {"mfcq", "Can all contacts open together?", "Mangasarian-Fromovitz",
                  "does some motion open all closed contacts at once?",
                  "Is there a motion that opens all closed unilateral contacts and keeps the "
                  "bilateral ones (Mangasarian-Fromovitz)? It bounds the unilateral forces.",
                  "One linear program; its dual gives the forces of a no.",
                  "direction with G_u^T direction > 0 and G_b^T direction = 0.",
                  "lambda_u >= 0, not zero, and lambda_b with G_u lambda_u + G_b lambda_b = 0: "
                  "these forces cancel, so nothing limits them.",
                  5, "ver.4"},
    [DLS_DELASSUS_DEFINITE] =
        {"delassus_definite", "Is the Delassus matrix definite?", "these forces move nothing",
         "do all contact forces have an effect? (constrained Delassus matrix)",
         "Is the constrained Delassus matrix A_c positive definite: does every combination of "
         "unilateral forces move something? (Without friction.)",
         "Rank of the unilateral gradients on the motions that the bilateral constraints leave "
         "free.",
         "pivots > 0 with A_c = L diag(pivots) L^T.",
         "lambda_u, not zero, and lambda_b with G_u lambda_u + G_b lambda_b = 0: then A_c lambda_u "
         "= 0.",
         5, "ver.5"},
    [DLS_ACCELERATION_EXISTS] =
        {"acceleration_exists", "Does an acceleration exist?", "no acceleration exists;existence",
         "does an acceleration exist that fulfils the laws of the contacts?",
         "Are there an acceleration and contact forces that fulfil the equations of motion and the "
         "law of each contact, with its friction?",
         "Without friction two linear programs. With it a tree of modes (stick, slide, open), cut "
         "where a proof shows that nothing lies below.",
         "acceleration, lambda_b, lambda_u, tau that fulfil all of them.",
         "forces that contradict each other, a load that nothing resists, or leaves: all modes, "
         "each proven empty.",
         5, "ver.6"},
    [DLS_ACCELERATION_UNIQUE] =
        {"acceleration_unique", "Is the acceleration unique?", "uniqueness", "is it the only one?",
         "Is there only one acceleration at this state, under this load?",
         "Without friction by the inertia of the motions that are free; with friction by going "
         "through all modes, or by friction that is weak.",
         "M > 0, a rank, or forces that press; with friction leaves, each empty or with the same "
         "acceleration, or weights.",
         "two solutions, acceleration and other; or the proof that there is none.", 5, "ver.7"},
    [DLS_FORCES_UNIQUE] =
        {"forces_unique", "Are the contact forces unique?", "hyperstatic",
         "are all contact forces determined?",
         "Is each contact force determined by state and load? If not, the system is hyperstatic, "
         "or has several solutions.",
         "Without friction the rank of the gradients of contacts that stay closed, or strict MFCQ; "
         "with friction all modes.",
         "coordinates at which these gradients form a nonsingular matrix, or a direction; with "
         "friction leaves.",
         "two sets of forces: lambda_b, lambda_u, tau and other_b, other_u, other_tau.", 5,
         "ver.8"},
    [DLS_UNIQUE_FOR_EVERY_LOAD] =
        {"unique_for_every_load", "Is it unique for every load?", "Painlevé;Painleve",
         "is there one solution whatever the applied force?",
         "With the sliding contacts as they are: exactly one solution whatever the load? If not, "
         "some load has none, or several (Painlevé). Friction is that of this speed.",
         "Determinants of all choices: bilateral forces push or pull, unilateral contacts are "
         "closed or open.",
         "all determinants have one sign; verify computes them again.",
         "two choices whose determinants have opposite signs, or one with determinant 0.", 8,
         "sli.2"},
    [DLS_CAN_ALL_STICK] =
        {"can_all_stick", "Can all contacts stick?", "all stick",
         "can all closed contacts stay closed without slipping?",
         "Are there forces in the friction cones that keep every contact closed, and from slipping "
         "if it does not slide? They can: not that they will.",
         "Planar contacts without rounding, as long as they are few; otherwise a conic program.",
         "acceleration, lambda_b, lambda_u, tau with the forces in the cones.",
         "leaves: multipliers that rule out all forces in the cones. detach: contacts that lift "
         "off.",
         12, "stk.5"},
    [DLS_FORM_CLOSURE] =
        {"form_closure", "Held by geometry alone?", "by this motion it escapes;form closure",
         "is the object held by geometry alone, whatever the friction?",
         "Do the contacts, kept in place, stop every motion of the object by geometry alone, "
         "whatever the friction? (To first order: curvature does not count.)",
         "A linear program and a rank, at the object's coordinates.",
         "forces that cancel, each unilateral one > 0, and full rank.",
         "direction: a motion that no contact stands in the way of.", 7, "clo.1"},
    [DLS_FORCE_CLOSURE] =
        {"force_closure", "Held by friction, if pressed?",
         "force closure;no force resists this motion;balance a load along this",
         "could friction hold it against every load, if pressed hard enough?",
         "Could the contacts balance every load on the object if they pressed hard enough? It does "
         "not say that they press: can_all_stick and the forces do.",
         "A linear or conic program for forces that squeeze, and a rank.",
         "lambda_b, lambda_u, tau strictly inside the friction cones that cancel, and full rank.",
         "direction: a motion that no force in the cones resists; or a load that pushes along one, "
         "whatever the signs of bilateral forces.",
         7, "clo.2"},
    [DLS_STEP_SOLVABLE] =
        {"step_solvable", "Can a time step be solved?", "time step",
         "can a time step be solved: do velocities fit what is imposed?",
         "Does the criterion hold by which a time step has a solution, whatever the masses and "
         "loads: "
         "some velocity fits what is imposed at the contacts?",
         "A linear or conic program for a velocity in the dual cones.",
         "a velocity v with g_i^T v + w_n,i >= mu_i |H_i^T v + w_t,i| at all contacts, one for "
         "each "
         "sign of bilateral forces.",
         "forces in the cones that cancel while the imposed motion works against them: the "
         "criterion fails, a step may still have a solution.",
         7, "stp.1"},
};

// What the numbers of a report are, how they are found and what proves them; see
// explain_questions.c. Where nothing does, the text says so.
#include "io/explain.h"

const dls_topic dls_number_topics[] = {
    // ---- solutions
    {"solution_count", "number of solutions", "there may be more;how many solutions",
     "how many solutions there are",
     "How many solutions the contact problem has: accelerations with forces. A connected set of "
     "them counts once; null: not counted, or undecided.",
     "Without friction there is none or one set. With friction all modes are searched, and "
     "polyhedra "
     "that touch are joined.",
     "covering: leaves that cover all modes, each empty or with the solutions it holds. verify "
     "sorts them into sets again.",
     NULL, 7, "fri.6"},
    {"solutions", "Acceleration and forces",
     "Accelerations and forces;acceleration;force;normal;tangential",
     "the accelerations, with contact forces",
     "Accelerations and contact forces that fulfil the equations of motion and each contact's law. "
     "Of a connected set one is shown.",
     "Without friction Gauss' principle, forces of least norm; with friction by modes, then "
     "corrected to rounding.",
     "the solution itself: verify puts it into the equations.", NULL, 4, "con.3"},
    {"mode", "sticks, slides, lifts off, stays closed",
     "sticks;slides;starts to slide;lifts off;stays closed;pulls;modes",
     "what a contact does in a solution",
     "What a contact does: sticks (no slip), slides, starts to slide, lifts off (no force) or, "
     "without friction, stays closed. A bilateral one may pull.",
     "The tree of modes decides; in between, both may be true.",
     "forces and accelerations of the solution: verify holds them against the mode.", NULL, 7,
     "fri.3"},
    {"continuum", "one of a continuum", "one of many forces;one choice is shown",
     "whether a solution is a point or one of many",
     "Is a solution a single point, one acceleration with many forces, or one of many "
     "accelerations?",
     "Without friction by the verdicts; with friction linear programs in the polyhedra of modes "
     "around it.",
     "verify finds how far accelerations and forces go in the set.", NULL, 7, "fri.6"},
    {"force_ranges", "not determined",
     "determined;ranges;range;shown: least norm;range not computed",
     "between which values each force may be",
     "The interval of each force over the connected set of solutions that the first one stands "
     "for. Equal ends: the force is determined.",
     "Two linear programs for each force.",
     "verify finds forces that reach each end, and multipliers that allow no more.", NULL, 4,
     "mul.1"},
    {"covering", "cases", "leaves;stick, slide or open", "the cases that cover all modes",
     "Cases (leaves) that together cover all combinations of stick, slide and open.",
     "The tree of modes, cut where linear programs find nothing.",
     "direction, alpha, sigma of each empty leaf (Farkas). verify checks each, and that none is "
     "left out.",
     NULL, 7, "fri.4"},
    // ---- friction
    {"friction.sufficient", "Safe friction, for every load", "safe friction;up to",
     "friction below which all is well for every load",
     "A coefficient, the same at all contacts, below which every load has exactly one solution. A "
     "bound: more may be safe, too.",
     "Singular values of A_n and A_t, or a distance from matrices with that property.",
     "verify: determinants of one sign just below the value, and below that.", NULL, 8, "sli.4"},
    {"friction.critical", "lost at", "never lost;lost between;critical friction",
     "friction at which that is lost",
     "The coefficient, the same at all contacts, at which one solution for every load is first "
     "lost (Painlevé). Beyond it that may change back.",
     "Eigenvalues over all choices of signs and closed contacts propose it; determinants on both "
     "sides decide.",
     "verify: determinants of both signs just above, of one sign just below and, as far as it "
     "gets, all the way from 0.",
     NULL, 8, "sli.3"},
    {"friction.least_for_sticking", "Least friction for all to stick",
     "least friction;no friction is enough;attained;they would with friction",
     "friction from which on all contacts can stick",
     "The least coefficient, the same at all contacts that do not slide, with which they can all "
     "stick. attained false: only larger ones do.",
     "Without rounding for few planar contacts, otherwise conic programs; a bracket low, high.",
     "high_witness: forces in the cones at high. low_witness: leaves that exclude them at low. "
     "attained: forces at the value itself, in fractions.",
     NULL, 12, "stk.6"},
    {"sticking", "the extra force", "extra force",
     "the least force that would let all contacts stick",
     "When the contacts cannot all stick: the least force that, applied in addition, lets them. "
     "Least in the kinetic metric, or as `by` says.",
     "A conic program.", "none: it is not proven.", NULL, 12, "stk.7"},
    // ---- impact
    {"impact", "Impact", "hits;velocities jump;impacting", "what an impact makes of the velocities",
     "A closed contact approaches, so velocities jump before there are accelerations. Shown: the "
     "velocities after it, impulses and energy.",
     "By Newton's law if it has impulses, separates and gains no energy; otherwise by Moreau's.",
     "the motion itself: verify checks momentum, the law, velocities and energies.", NULL, 16,
     "imp.1"},
    {"impact.newton", "by Newton's law", "Newton's law cannot hold;Newton's law",
     "are there impulses for Newton's law?",
     "Are there impulses >= 0 with which each contact leaves as its restitution says, u+ = -E u-?",
     "Without friction a linear program; with friction the solutions of Moreau's law.",
     "jump, p_b, p_u, p_t: the impulses.",
     "leaves: Farkas' vector; with friction that the only solution separates faster.", 16, "imp.2"},
    {"impact.moreau", "by Moreau's law", "Moreau's law", "the impact by Moreau's law",
     "0 <= p and u+ + e u- >= 0 at each contact, one of them 0: contacts may separate faster than "
     "Newton's law says. exists, unique, percussions_unique.",
     "A contact problem in the jump of the velocities: as for accelerations.",
     "as of acceleration_exists, acceleration_unique and forces_unique.", NULL, 16, "imp.5"},
    {"impact.percussions", "impulse", "impulses;percussions;percussion",
     "the impulses of the contacts",
     "The impulse of each closed contact at an impact: normal, tangential, and what the contact "
     "does afterwards.",
     "As forces are found; without friction those of least norm.",
     "verify puts them into the balance of momentum and each contact's law.", NULL, 16, "imp.1"},
    {"impact.percussion_ranges", "impulses not determined", "percussion ranges",
     "between which values each impulse may be",
     "The interval of each impulse over all that belong to the motion shown. Equal ends: it is "
     "determined.",
     "Two linear programs for each, as for forces.",
     "verify finds impulses that reach each end, and multipliers that allow no more.", NULL, 16,
     "imp.5"},
    {"impact.kinetic_energy", "energy",
     "kinetic energy;the contacts take;the contacts keep it;balance",
     "kinetic energy before and after an impact",
     "Kinetic energy before and after, and the work of the impulses: what the contacts take, keep "
     "or add, beyond the tolerance.",
     "work = 1/2 p^T (velocities before + after), in every frame of reference.",
     "verify computes them again, with bounds.", NULL, 16, "imp.4"},
    {"impact.restitution", "restitution", "restitution matrix", "the restitution matrix E",
     "E of Newton's law u+ = -E u-: coefficients of the contacts on the diagonal, and what the "
     "model says of pairs.",
     "From the model.", "verify compares with the model.", NULL, 16, "imp.2"},
    // ---- matrices
    {"mass", "mass matrix of rank", "condition;mass matrix;rank of the mass matrix",
     "rank and condition of the mass matrix",
     "Rank of the mass matrix M, whether it is definite, and its condition number.",
     "Eigenvalues of M, scaled to a diagonal of about 1.",
     "verify: rank by a minor and a kernel, condition by bounds of the extreme eigenvalues. The "
     "eigenvalues listed are not proven.",
     NULL, 5, "ver.1"},
    {"constraints", "rank", "gradients;singular values;rank of the constraints",
     "rank of the closed contacts' gradients",
     "Of all closed contacts and joints together: how many, and the rank of their gradients. Less "
     "rank than contacts: redundant. Each of the dependencies is a sum of gradients that cancels: "
     "any one of its constraints may be left out.",
     "Singular values of the scaled gradients; dependencies by pivots.",
     "verify: rank by a minor beyond rounding and a kernel, and each dependency. The singular "
     "values listed are not proven.",
     NULL, 5, "ver.2"},
    {"delassus", "Delassus matrix", "accelerations per unit force;constrained Delassus matrix",
     "the constrained Delassus matrix",
     "A_c: the normal accelerations of the closed unilateral contacts per unit of their normal "
     "forces, bilateral constraints kept, no friction.",
     "A_c = E (N^T M N)^-1 E^T, with N the motions that bilateral constraints leave free.",
     "verify encloses every entry.", NULL, 4, "del.2"},
    {"delassus_unconstrained", "Delassus matrix, all", "W",
     "the Delassus matrix of all closed contacts",
     "W = G^T M^-1 G of all closed contacts, bilateral ones first, as if no constraint were kept.",
     "Cholesky factors of M; null when M is singular.", "verify encloses every entry.", NULL, 4,
     "del.1"},
    {"kinetic_angles", "kinetic angles", "angles", "angles between contacts in the kinetic metric",
     "The angle between the gradients of two contacts in the metric of M^-1: pi/2 when a force at "
     "one does not accelerate the other.",
     "pi - arccos(W_ij / sqrt(W_ii W_jj)); null when the mass matrix is singular.",
     "verify computes every angle from its enclosed matrix.", NULL, 4, "kin.1"},
    {"gauss", "Gauss' principle", "", "the values of Gauss' principle and its dual",
     "Without friction: the least value of Gauss' program, and that of its dual with opposite "
     "sign: they agree up to rounding.",
     "Quadratic programs.", "verify computes both at the solution shown.", NULL, 4, "gau.1"},
    {"reduced", "reduced coordinates", "", "the solution by a second way",
     "Without friction: which coordinates depend on the others, and the same solution in the "
     "independent ones.",
     "The bilateral constraints are solved for the dependent coordinates.",
     "verify checks the split and the matrix. The differences are not proven.", NULL, 4, "red.1"},
    // ---- the state, and what numbers are worth
    {"contacts", "State and contacts",
     "contacts;coordinates;velocities;bilateral;unilateral;no "
     "contacts;open;separating;closed;slipping;gap;not "
     "slipping;status",
     "the state, the contacts and their status",
     "Which contacts are open, separating, impacting, slipping or at rest: what is closed takes "
     "part in the problem.",
     "Gaps, their velocities and slips against the tolerances of --tol.",
     "verify evaluates the model again.", NULL, 3, ""},
    {"projection", "projected", "moved", "how far --project moved the state",
     "With --project: the largest changes of coordinates and velocities on the way to the nearest "
     "state that fulfils the constraints.",
     "Newton steps, nearest in the kinetic metric.",
     "none: how the state came about is not proven; the state itself is what verify takes.", NULL,
     3, ""},
    {"tolerance", "below 1e-09 counts as zero", "counts as zero;count as zero",
     "what counts as zero",
     "tolerance, a length for gaps; tolerance_velocity, for normal velocities and slips; "
     "tolerance_relative, for numbers without unit.",
     "From --tol; 1e-9 unless told otherwise.", "it is part of what the report is about.", NULL, 6,
     "num.1"},
    {"verdicts", "Is the problem well posed?", "questions;verdict;answer",
     "the questions, their answers and reasons",
     "The questions, each answered yes, no or undecided (?), with its reason. One that does not "
     "arise at the state is left out.",
     "As each question says; by names the theorem or procedure.",
     "in JSON each answer has its own, and verify checks it. Undecided claims nothing.", NULL, 5,
     ""},
    {"margin", "margin", "", "how far the other answer is",
     "The number that decided a question, in scaled data: how far the other answer is. Tells "
     "orders of magnitude.",
     "As each question says: a singular value, the optimum of a program.",
     "none: margins are not proven.", NULL, 5, ""},
    {"residual", "relative residual", "found, and it fulfils the equations to rounding",
     "how well a solution fulfils the equations",
     "The largest violation of the contact problem by a solution, relative to the size of its "
     "terms.",
     "Recomputed from the data after the last step.", "none: verify measures its own.", NULL, 6,
     ""},
    {"witness", "witness", "shows", "what lets anyone check an answer",
     "Numbers that turn a yes or a no into a few products and signs; `shows` is the formula. Only "
     "in JSON.",
     "Each question says what its witness is.",
     "delassus verify REPORT MODEL checks all of them in ball arithmetic, with code of its own.",
     NULL, 5, ""},
    {"proven", "not proven", "unproven", "which numbers have no proof",
     "Marks numbers that verify does not prove: false in an object of which it proves nothing, or "
     "{KEY: false} next to KEY. `unproven` lists all.",
     "A list of keys that the report and verify have in common.",
     "verify has its own list, and fails a report that says true.", NULL, 13, ""},
    // ---- the headline
    {"headline.motion", "Motion",
     "It is at rest;It moves freely;It cannot go on;no other motion is possible", "how it moves",
     "What happens next, from acceleration_exists, acceleration_unique, the modes of the "
     "solutions, or the impact.",
     "Nothing is computed for it: undecided questions stay undecided.",
     "that of the verdicts below it.", NULL, 5, ""},
    {"headline.forces", "Forces", "certain", "which forces are certain",
     "Which contact forces are determined, from forces_unique and force_ranges; after an impact, "
     "which impulses.",
     "Nothing is computed for it.", "that of the verdicts below it.", NULL, 5, ""},
    {"headline.watch", "Watch",
     "in reserve;danger;nearly dependent;touches without force;may touch without force",
     "what is near a limit, or not decided",
     "Friction near what sticking needs, or near its critical value; dependent or nearly dependent "
     "constraints; contacts without force; open questions.",
     "From the limits of friction, the singular values (below 1e-3 counts as near), the force "
     "ranges and the verdicts.",
     "that of the numbers it names; singular values are not proven.", NULL, 5, ""},
};
const int dls_number_topic_count = sizeof dls_number_topics / sizeof dls_number_topics[0];

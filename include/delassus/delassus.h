// delassus: the contact problem. This header includes all the others.
//
// Calls that report are named dls_noun_verb and return a dls_status. What a create or read call
// makes is freed by the free call of the same noun, which takes NULL. Options come by value from
// dls_noun_defaults. Callbacks get `self` first; one named `watch` stops the work by returning
// true. Nothing is global: two threads may work on two things of any kind. The header of each noun
// says what it borrows.
//
// What is marked "in delassus-io" is in the second library, -ldelassus-io; the rest in -ldelassus.
#ifndef DELASSUS_H
#define DELASSUS_H

#include <delassus/check.h>
#include <delassus/contact.h>
#include <delassus/contacts.h>
#include <delassus/convergence.h>
#include <delassus/drawing.h>
#include <delassus/crossing.h>
#include <delassus/explain.h>
#include <delassus/fclib.h>
#include <delassus/impact.h>
#include <delassus/incremental.h>
#include <delassus/integrator.h>
#include <delassus/law.h>
#include <delassus/lcp.h>
#include <delassus/lcp_proof.h>
#include <delassus/model.h>
#include <delassus/native.h>
#include <delassus/output.h>
#include <delassus/picture.h>
#include <delassus/polyhedral.h>
#include <delassus/recording.h>
#include <delassus/sensitivity.h>
#include <delassus/report.h>
#include <delassus/scene.h>
#include <delassus/solvable.h>
#include <delassus/solve.h>
#include <delassus/solve_report.h>
#include <delassus/status.h>
#include <delassus/system.h>
#include <delassus/trajectory.h>
#include <delassus/verify.h>
#include <delassus/version.h>
#include <delassus/view.h>
#include <delassus/world.h>

#endif

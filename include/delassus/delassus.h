// delassus: the contact problem. This header includes all the others.
#ifndef DELASSUS_H
#define DELASSUS_H

#include <delassus/check.h>
#include <delassus/contact.h>
#include <delassus/convergence.h>
#include <delassus/explain.h>
#include <delassus/fclib.h>
#include <delassus/impact.h>
#include <delassus/incremental.h>
#include <delassus/integrator.h>
#include <delassus/lcp.h>
#include <delassus/lcp_proof.h>
#include <delassus/model.h>
#include <delassus/picture.h>
#include <delassus/polyhedral.h>
#include <delassus/recording.h>
#include <delassus/report.h>
#include <delassus/solvable.h>
#include <delassus/solve.h>
#include <delassus/solve_report.h>
#include <delassus/status.h>
#include <delassus/system.h>
#include <delassus/trajectory.h>
#include <delassus/verify.h>
#include <delassus/world.h>

#endif

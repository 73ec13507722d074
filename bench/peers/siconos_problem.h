// An incremental problem in the data structures of Siconos.
#ifndef PEERS_SICONOS_PROBLEM_H
#define PEERS_SICONOS_PROBLEM_H

#include <delassus/incremental.h>

#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>

// Siconos has several storages of a matrix, and its solvers are not equally fast with each, nor do
// they all take each.
typedef enum storage { BLOCKS, COLUMNS, DENSE, STORAGES } storage;

const char *storage_name(storage s);

// Whether the matrices of the problem fit: in global form, blocks ask for a mass matrix of 6 x 6
// blocks on the diagonal.
bool storage_fits(const dls_incremental *problem, storage s);

// Copies. Nothing ever frees them: what a solver leaves of its problem cannot be told, and the
// process that made them ends soon.
FrictionContactProblem *siconos_local(const dls_incremental *problem, storage s);
GlobalFrictionContactProblem *siconos_global(const dls_incremental *problem, storage s);

#endif

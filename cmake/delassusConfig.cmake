# delassus::delassus (contacts, solvers, models, time stepping) and delassus::delassus-io (proofs,
# reports, files, drawings; brings the first along) are shared and need nothing else. With _static at
# the end of their names they need the development packages of the libraries that they link.
include("${CMAKE_CURRENT_LIST_DIR}/delassusTargets.cmake")

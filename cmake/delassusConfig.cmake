# delassus::delassus, the shared library, needs nothing else; delassus::delassus_static needs the
# development packages of the libraries that it links.
include("${CMAKE_CURRENT_LIST_DIR}/delassusTargets.cmake")

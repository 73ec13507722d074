# The page of `delassus view`, bundled from viewer/ and from three.js by node. VIEW_TEMPLATE: a C file
# with it. Without node, npm or a way to the packages it is empty, delassus says so when it is asked for
# the page, and all else is as it was.
option(DELASSUS_VIEWER "Build the page of delassus view, where node and npm are there" ON)

set(VIEW_DIRECTORY ${CMAKE_BINARY_DIR}/viewer)
set(VIEW_TEMPLATE ${VIEW_DIRECTORY}/view_template.c)
file(MAKE_DIRECTORY ${VIEW_DIRECTORY})
find_program(NODE NAMES node nodejs)
find_program(NPM NAMES npm)
# tests look at pages in a browser, where there is one
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
set(VIEW_WITHOUT --omit=dev)
if(DELASSUS_TESTS AND CHROMIUM)
  set(VIEW_WITHOUT --include=dev)
endif()

function(install_viewer_packages why)
  set(wanted ${CMAKE_SOURCE_DIR}/viewer/package.json)
  set(installed ${VIEW_DIRECTORY}/installed.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${wanted})
  file(READ ${wanted} packages)
  set(packages_wanted "${VIEW_WITHOUT}\n${packages}")
  if(EXISTS ${installed})
    file(READ ${installed} before)
    if(before STREQUAL packages_wanted)
      return()
    endif()
  endif()
  message(STATUS "delassus view: installing its npm packages into ${VIEW_DIRECTORY}")
  file(WRITE ${VIEW_DIRECTORY}/package.json "${packages}")
  execute_process(
    COMMAND ${NPM} install ${VIEW_WITHOUT} --ignore-scripts --no-audit --no-fund --no-package-lock
      --prefer-offline --fetch-retries=0
    WORKING_DIRECTORY ${VIEW_DIRECTORY} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET TIMEOUT 180)
  if(NOT failed)  # what was installed works here, too
    execute_process(COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/viewer/build.mjs ${VIEW_DIRECTORY}
      ${VIEW_DIRECTORY}/page.html RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET TIMEOUT 60)
  endif()
  if(failed)
    set(${why} "npm could not install three and esbuild (is there a network?)" PARENT_SCOPE)
  else()
    file(WRITE ${installed} "${packages_wanted}")
  endif()
endfunction()

set(missing "")
if(NOT DELASSUS_VIEWER OR DELASSUS_FUZZ)
  set(missing "not asked for")
elseif(NOT NODE OR NOT NPM)
  set(missing "node or npm is missing (Debian: nodejs npm)")
else()
  install_viewer_packages(missing)
endif()

if(missing)
  message(STATUS "delassus view is left out: ${missing}")
  set(VIEW_TEMPLATE ${VIEW_DIRECTORY}/no_template.c)
  file(CONFIGURE OUTPUT ${VIEW_TEMPLATE} CONTENT "// There is no page: @missing@.
#include \"view/template.h\"

const unsigned char dls_view_template[1] = {0};
const size_t dls_view_template_size = 0;
" @ONLY)
else()
  file(GLOB VIEWER_SOURCES CONFIGURE_DEPENDS viewer/src/*)
  add_custom_command(OUTPUT ${VIEW_TEMPLATE}
    COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/viewer/build.mjs ${VIEW_DIRECTORY}
      ${VIEW_DIRECTORY}/page.html ${VIEW_TEMPLATE}
    DEPENDS ${VIEWER_SOURCES} ${CMAKE_SOURCE_DIR}/viewer/build.mjs
      ${CMAKE_SOURCE_DIR}/viewer/package.json
    COMMENT "Bundling the page of delassus view" VERBATIM)
endif()

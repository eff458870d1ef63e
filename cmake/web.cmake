# SYMCAST_WEB: whether to build the page at / (web/), which needs npm. AUTO builds it if npm is
# installed. Sets SYMCAST_HAVE_WEB.
set(SYMCAST_WEB AUTO CACHE STRING "Build the page with player and dashboard: AUTO, ON, OFF")
set_property(CACHE SYMCAST_WEB PROPERTY STRINGS AUTO ON OFF)

find_program(NODE NAMES node nodejs)
find_program(NPM npm)

set(SYMCAST_HAVE_WEB OFF)
if(SYMCAST_WEB)
  if(NODE AND NPM)
    set(SYMCAST_HAVE_WEB ON)
  elseif(NOT SYMCAST_WEB STREQUAL AUTO)
    message(FATAL_ERROR "SYMCAST_WEB=ON needs npm: scripts/install-deps build")
  endif()
endif()
if(SYMCAST_HAVE_WEB)
  message(STATUS "Player and dashboard: built with ${NPM}")
else()
  message(STATUS "Player and dashboard: not built, / is a plain page (SYMCAST_WEB=${SYMCAST_WEB})")
endif()

# npm works in a copy here, so that the source tree stays unchanged.
set(SYMCAST_WEB_BUILD ${PROJECT_BINARY_DIR}/web)

# web_files(VARIABLE)   sets VARIABLE to a source file that embeds the page. The tests also need the
# page's development packages.
function(web_files variable)
  set(source ${PROJECT_SOURCE_DIR}/web)
  set(build ${SYMCAST_WEB_BUILD})
  file(MAKE_DIRECTORY ${build})
  set(packages ${source}/package.json ${source}/package-lock.json ${source}/.npmrc)
  if(NOT SYMCAST_TESTS)
    set(omitted --omit=dev)
  endif()
  add_custom_command(OUTPUT ${build}/installed
    COMMAND ${CMAKE_COMMAND} -E copy ${packages} .
    COMMAND ${NPM} ci --loglevel=error ${omitted}
    COMMAND ${CMAKE_COMMAND} -E touch installed
    DEPENDS ${packages} WORKING_DIRECTORY ${build} COMMENT "Packages of the page" VERBATIM)

  file(GLOB_RECURSE modules CONFIGURE_DEPENDS ${source}/src/*)
  set(files ${source}/build.mjs ${source}/embed.mjs ${source}/index.html ${source}/icon.svg
    ${source}/tsconfig.json)
  set(embedded ${build}/embedded/web_files)
  add_custom_command(OUTPUT ${embedded}.cc ${embedded}.bin
    COMMAND ${CMAKE_COMMAND} -E rm -rf src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${source}/src src
    COMMAND ${CMAKE_COMMAND} -E copy ${files} .
    COMMAND ${NODE} build.mjs dist
    COMMAND ${NODE} embed.mjs dist embedded
    DEPENDS ${build}/installed ${modules} ${files}
    WORKING_DIRECTORY ${build} COMMENT "The page at /" VERBATIM)
  set_source_files_properties(${embedded}.cc PROPERTIES OBJECT_DEPENDS ${embedded}.bin)
  set(${variable} ${embedded}.cc PARENT_SCOPE)
endfunction()

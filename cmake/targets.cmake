# add_module(NAME SOURCES ... LINK ...)   one static library for one folder of src/
function(add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE ${arg_PRIVATE})
endfunction()

# compile_quickly(TARGET_OR_FILES ...)   for what runs for an instant: without optimisation GCC takes
# half the time, and 20 s less for one file of CLI11
function(compile_quickly)
  foreach(name ${ARGN})
    if(TARGET ${name})
      target_compile_options(${name} PRIVATE -O0)
    else()
      set_property(SOURCE ${name} APPEND PROPERTY COMPILE_OPTIONS -O0)
    endif()
  endforeach()
endfunction()

# add_unit_test(NAME SOURCES ... LINK ...)   one GoogleTest binary, one ctest entry; fast and pure.
# The first one has GoogleTest's headers compiled for all.
function(add_unit_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gmock GTest::gtest_main)
  compile_quickly(${name})
  get_property(first GLOBAL PROPERTY SYMCAST_FIRST_UNIT_TEST)
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    set_property(GLOBAL PROPERTY SYMCAST_FIRST_UNIT_TEST ${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

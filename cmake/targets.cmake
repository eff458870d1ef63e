# A build with tests precompiles the standard headers that most modules include, which takes a third off
# their time; scripts/lint_includes.py sees whether each file includes those that it uses. A sanitizer's
# build also compiles several files of a module as one. Other builds don't, and so show whether each
# file includes the headers of ours that it uses.
if(SYMCAST_TESTS)
  file(CONFIGURE OUTPUT standard_headers.cc CONTENT "")
  add_library(standard_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/standard_headers.cc)
  target_precompile_headers(standard_headers PRIVATE <algorithm> <array> <atomic> <chrono> <condition_variable>
    <deque> <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <utility>
    <variant> <vector>)
endif()

# add_module(NAME SOURCES ... LINK ...)   a static library, usually one per folder of src/
function(add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE ${arg_PRIVATE})
  if(SYMCAST_TESTS)
    target_precompile_headers(${name} REUSE_FROM standard_headers)
  endif()
  if(SYMCAST_SANITIZE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()

# compile_quickly(TARGET_OR_FILES ...)   for code that runs only briefly: without optimisation GCC
# takes half the time, and 20 s less for a file that includes CLI11
function(compile_quickly)
  foreach(name ${ARGN})
    if(TARGET ${name})
      target_compile_options(${name} PRIVATE -O0)
    else()
      set_property(SOURCE ${name} APPEND PROPERTY COMPILE_OPTIONS -O0)
      # Precompiled headers have their module's level of optimisation.
      set_property(SOURCE ${name} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# For tests that run GStreamer in a sanitizer build. Suppressions need the names of functions.
if(SYMCAST_SANITIZE)
  find_program(LLVM_SYMBOLIZER llvm-symbolizer PATHS /usr/lib/llvm-16/bin NO_DEFAULT_PATH REQUIRED)
  set(SUPPRESSIONS ${PROJECT_SOURCE_DIR}/tests/sanitizers)
  set(SANITIZER_OPTIONS
    ASAN_OPTIONS=external_symbolizer_path=${LLVM_SYMBOLIZER}
    LSAN_OPTIONS=suppressions=${SUPPRESSIONS}/gstreamer.lsan
    UBSAN_OPTIONS=print_stacktrace=1
    TSAN_OPTIONS=external_symbolizer_path=${LLVM_SYMBOLIZER}:history_size=4:ignore_noninstrumented_modules=1:suppressions=${SUPPRESSIONS}/gstreamer.tsan)
endif()

# Everything that ThreadSanitizer's tests need; the rest is not built for them.
add_custom_target(thread_tests)

# add_unit_test(NAME [THREADS] [INTEGRATION] SOURCES ... LINK ...)   a GoogleTest binary and its ctest
# entry, which AddressSanitizer runs too. With THREADS it starts threads, so ThreadSanitizer runs it.
# With INTEGRATION it uses the kernel, sockets or the clock; other unit tests are fast, without I/O.
# The first test precompiles GoogleTest's headers for all others.
function(add_unit_test name)
  cmake_parse_arguments(arg "THREADS;INTEGRATION" "" "SOURCES;LINK" ${ARGN})
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

  set(labels unit address)
  if(arg_INTEGRATION)
    set(labels integration address)
  endif()
  if(arg_THREADS)
    list(APPEND labels thread)
    add_dependencies(thread_tests ${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 300 ENVIRONMENT "${SANITIZER_OPTIONS}")
endfunction()

# Language level, warnings and sanitizers, for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# Makes object files identical in every checkout, so that with ccache a new checkout compiles only
# files that differ; in a sanitizer's build only a checkout at the same place, because a precompiled header
# of Clang holds its own path. None tests a macro of ours, so pch_defines hides nothing.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # A precompiled header of Clang holds the headers' times, and each checkout's differ.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

# Takes a third of the time to link the tests. Packages are linked with the system's linker.
find_program(MOLD mold)
if(MOLD AND SYMCAST_TESTS)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
                    -Wimplicit-fallthrough
                    # Designated initialisers omit members with defaults on purpose.
                    -Wno-missing-field-initializers)
if(SYMCAST_WERROR)
  add_compile_options(-Werror)
endif()

# libFuzzer finds new inputs by the edges that they reach.
if(SYMCAST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

if(SYMCAST_SANITIZE)
  add_compile_definitions(SYMCAST_SANITIZED)
  add_compile_options(-fsanitize=${SYMCAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SYMCAST_SANITIZE})
endif()
if(SYMCAST_TESTS)
  # All targets share precompiled headers (targets.cmake), so all must define what some libraries ask for.
  add_compile_options(-pthread)
endif()

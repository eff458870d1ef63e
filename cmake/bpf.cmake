# SYMCAST_BPF: whether to build the eBPF programs (bpf/), which needs clang, bpftool and libbpf.
# AUTO builds them if all three are installed. Sets SYMCAST_HAVE_BPF.
set(SYMCAST_BPF AUTO CACHE STRING "Build the eBPF programs: AUTO, ON, OFF")
set_property(CACHE SYMCAST_BPF PROPERTY STRINGS AUTO ON OFF)

find_program(BPF_CLANG NAMES clang-16 clang-17 clang-18 clang-19 clang clang-15 clang-14)
find_program(BPFTOOL bpftool PATHS /usr/sbin /sbin)
pkg_check_modules(libbpf IMPORTED_TARGET libbpf>=1.1)

set(SYMCAST_HAVE_BPF OFF)
if(SYMCAST_BPF)
  if(BPF_CLANG AND BPFTOOL AND libbpf_FOUND)
    set(SYMCAST_HAVE_BPF ON)
  elseif(NOT SYMCAST_BPF STREQUAL AUTO)
    message(FATAL_ERROR "SYMCAST_BPF=ON needs clang, bpftool and libbpf 1.1: scripts/install-deps build")
  endif()
endif()
if(SYMCAST_HAVE_BPF)
  message(STATUS "eBPF programs: built with ${BPF_CLANG}")
else()
  message(STATUS "eBPF programs: not built (SYMCAST_BPF=${SYMCAST_BPF})")
endif()

# bpf_object(NAME)   compiles NAME.bpf.c of this folder to the header NAME.skel.h, which contains
# the program and its loader. Strips debug information that only the compiler needs. NOLINT keeps
# clang-tidy off the generated code.
function(bpf_object name)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${name}.bpf.c)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  set(skeleton ${CMAKE_CURRENT_BINARY_DIR}/${name}.skel.h)
  add_custom_command(OUTPUT ${skeleton}
    COMMAND ${BPF_CLANG} -target bpf -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror
      -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -I${CMAKE_CURRENT_SOURCE_DIR}
      -MD -MT ${skeleton} -MF ${object}.d -c ${source} -o ${object}.tmp
    COMMAND ${BPFTOOL} gen object ${object} ${object}.tmp
    COMMAND ${CMAKE_COMMAND} -E echo "/* NOLINTBEGIN */" > ${skeleton}
    COMMAND ${BPFTOOL} gen skeleton ${object} name ${name} >> ${skeleton}
    COMMAND ${CMAKE_COMMAND} -E echo "/* NOLINTEND */" >> ${skeleton}
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "eBPF ${name}" VERBATIM)
  add_custom_target(${name}_bpf DEPENDS ${skeleton})
  add_dependencies(bpf_programs ${name}_bpf)
endfunction()

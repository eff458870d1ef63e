# All libraries that the project links, as imported targets. Debian 12 packages all of them
# (scripts/install-deps).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)

pkg_check_modules(gstreamer REQUIRED IMPORTED_TARGET
  gstreamer-1.0 gstreamer-app-1.0 gstreamer-video-1.0 gstreamer-audio-1.0
  gstreamer-tag-1.0 gstreamer-pbutils-1.0 gio-2.0)
pkg_check_modules(glib REQUIRED IMPORTED_TARGET glib-2.0)
pkg_check_modules(libav REQUIRED IMPORTED_TARGET libavcodec libavformat libavutil libswscale)
pkg_check_modules(x264 REQUIRED IMPORTED_TARGET x264)
pkg_check_modules(libevent REQUIRED IMPORTED_TARGET libevent_core libevent_pthreads)
pkg_check_modules(libcap REQUIRED IMPORTED_TARGET libcap)
pkg_check_modules(libsystemd REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(libnl REQUIRED IMPORTED_TARGET libnl-3.0)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)

# http_parser has neither a pkg-config file nor a CMake package.
find_library(HTTP_PARSER_LIBRARY http_parser REQUIRED)
add_library(http_parser INTERFACE IMPORTED)
target_link_libraries(http_parser INTERFACE ${HTTP_PARSER_LIBRARY})

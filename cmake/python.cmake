# Python runs the benchmarks, the integration tests and the unit tests of bench/.
set(SYMCAST_PYTHON /usr/bin/python3 CACHE FILEPATH "Python that has Debian's pytest and gi")

# Their environment, NAME=VALUE. PYTHONPATH is the root of the packages bench, netlab and tests;
# PYTHONSAFEPATH keeps those of the current folder out. The others name built programs.
set(SYMCAST_PYTHON_ENVIRONMENT
  PYTHONPATH=${PROJECT_SOURCE_DIR} PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1
  SYMCAST_BINARY=$<TARGET_FILE:symcast> NETLAB_TOOLS=$<TARGET_FILE_DIR:ts_client>)
if(SYMCAST_HAVE_WEB)
  list(APPEND SYMCAST_PYTHON_ENVIRONMENT WEB_MODULES=${SYMCAST_WEB_BUILD})
endif()

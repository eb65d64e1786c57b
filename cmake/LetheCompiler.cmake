# All flags are on one interface target, so that every target can reuse the precompiled header.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -O3 makes LibTorch programs slower to compile but not faster, because the kernels are in the library.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  string(APPEND CMAKE_CXX_FLAGS " -include ${CMAKE_SOURCE_DIR}/cmake/clang_vector.h")
endif()

add_library(lethe_flags INTERFACE)
target_include_directories(lethe_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(lethe_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wno-missing-field-initializers  # designated initialisers may omit members that have a default
  $<$<BOOL:${LETHE_WERROR}>:-Werror>)
if(LETHE_SANITIZE)
  target_compile_options(lethe_flags INTERFACE -fsanitize=${LETHE_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(lethe_flags INTERFACE -fsanitize=${LETHE_SANITIZE})
endif()

# Use ccache if it is there. The sloppiness is needed for precompiled headers; the base folder lets several clones share
# their results.
find_program(LETHE_CCACHE ccache)
if(LETHE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${LETHE_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(lethe_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  else()
    target_compile_options(lethe_flags INTERFACE -fpch-preprocess)
  endif()
endif()

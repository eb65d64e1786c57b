# One precompiled header for all targets. Sanitizer builds use the small one: torch.h would take them minutes.
file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "// Owner of the shared precompiled header.\n")
add_library(lethe_pch STATIC ${CMAKE_BINARY_DIR}/pch.cpp)
target_link_libraries(lethe_pch PUBLIC lethe_flags)
if(LETHE_SMALL)
  target_precompile_headers(lethe_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch_small.h)
else()
  target_precompile_headers(lethe_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)
endif()

# Whether a file includes LibTorch, directly or through our own headers. Other files are compiled without the
# precompiled header, because loading it takes ten times as long as compiling such a file.
function(lethe_sees_torch file out)
  get_property(known GLOBAL PROPERTY "lethe_sees_torch:${file}")
  if("${known}" STREQUAL "")
    set_property(GLOBAL PROPERTY "lethe_sees_torch:${file}" FALSE)
    set(known FALSE)
    file(STRINGS ${file} includes REGEX "^#include")
    foreach(line ${includes})
      if(line MATCHES "<(ATen|torch)/" AND NOT line MATCHES "<ATen/core/Tensor.h>")
        set(known TRUE)
      elseif(line MATCHES "\"((lethe|apps|tools|tests)/[^\"]+)\"")
        set(header ${CMAKE_SOURCE_DIR}/${CMAKE_MATCH_1})
        if(EXISTS ${header})
          lethe_sees_torch(${header} nested)
          if(nested)
            set(known TRUE)
          endif()
        endif()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "lethe_sees_torch:${file}" ${known})
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# Adds the shared precompiled header to a target, for the files that benefit from it.
function(lethe_use_pch target)
  target_precompile_headers(${target} REUSE_FROM lethe_pch)
  foreach(file ${ARGN})
    lethe_sees_torch(${file} needed)
    if(NOT needed)
      set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# lethe_library(FOLDER [DEPENDS target...]): one static library per folder, with its subfolders and without tests. The
# library of lethe/data is lethe_data, that of tools/suite is lethe_suite.
function(lethe_library folder)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  get_filename_component(name ${folder} NAME)
  add_library(lethe_${name} STATIC ${sources})
  target_link_libraries(lethe_${name} PUBLIC lethe_flags ${ARG_DEPENDS})
  lethe_use_pch(lethe_${name} ${sources})
endfunction()

# Reads the commit at every build. Writes it only if it changed, because a source file depends on it.
function(lethe_add_version target)
  set(out ${CMAKE_BINARY_DIR}/generated/commit.inc)
  add_custom_target(lethe_commit
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUT=${out} -P ${CMAKE_SOURCE_DIR}/cmake/write_commit.cmake
    BYPRODUCTS ${out})
  add_dependencies(${target} lethe_commit)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/lethe/core/system.cpp PROPERTIES
    COMPILE_OPTIONS "-I${CMAKE_BINARY_DIR}/generated;-DLETHE_VERSION=\"${PROJECT_VERSION}\"" OBJECT_DEPENDS ${out})
endfunction()

# lethe_embed(FOLDER SOURCE TARGET): compiles the TOML files of a folder into a source file, which includes them as
# FOLDER.inc, so that `lethe run NAME` and `lethe suite NAME` work from anywhere.
function(lethe_embed folder source target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.toml)
  set(script ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake)
  set(out ${CMAKE_BINARY_DIR}/generated/${folder}.inc)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DROOT=${CMAKE_SOURCE_DIR}/${folder} -DOUT=${out} -P ${script}
    DEPENDS ${files} ${script} VERBATIM)
  target_sources(${target} PRIVATE ${out})
  set_source_files_properties(${CMAKE_SOURCE_DIR}/${source} PROPERTIES
    COMPILE_OPTIONS -I${CMAKE_BINARY_DIR}/generated OBJECT_DEPENDS ${out})
endfunction()

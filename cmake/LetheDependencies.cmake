# LibTorch: Debian's libtorch-dev by default, any other from 1.13 on through CMAKE_PREFIX_PATH.
find_package(Torch REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
find_package(Threads REQUIRED)

# A pip wheel of LibTorch may be built with the old string ABI: follow what it says.
separate_arguments(LETHE_TORCH_FLAGS UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(lethe_flags INTERFACE ${LETHE_TORCH_FLAGS})
target_link_libraries(lethe_flags INTERFACE
  ${TORCH_LIBRARIES} fmt::fmt spdlog::spdlog nlohmann_json::nlohmann_json Threads::Threads ${CMAKE_DL_LIBS})
# PyPI's torch brings headers of other libraries along, which would hide those that we link: ours are put in front.
foreach(library fmt nlohmann spdlog)
  foreach(folder ${TORCH_INCLUDE_DIRS})
    if(folder STREQUAL "/usr/include" OR NOT EXISTS ${folder}/${library})
      continue()
    endif()
    find_path(LETHE_${library}_INCLUDE ${library} PATHS /usr/include /usr/local/include NO_DEFAULT_PATH REQUIRED)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/own_headers)
    file(CREATE_LINK ${LETHE_${library}_INCLUDE}/${library} ${CMAKE_BINARY_DIR}/own_headers/${library} SYMBOLIC)
  endforeach()
endforeach()
if(EXISTS ${CMAKE_BINARY_DIR}/own_headers)
  target_include_directories(lethe_flags SYSTEM BEFORE INTERFACE ${CMAKE_BINARY_DIR}/own_headers)
endif()
# SYSTEM: warnings are for our code.
target_include_directories(lethe_flags SYSTEM INTERFACE
  ${TORCH_INCLUDE_DIRS} ${TOMLPLUSPLUS_INCLUDE} ${RANDOM123_INCLUDE})

# SPDX-License-Identifier: Apache-2.0
# One library for each leaf folder, one test program for each room, one fuzz target for each parser.

# aduana_room(TARGET [DEPENDS target...]): a library of all *.cpp of this folder but main.cpp.
function(aduana_room target)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC aduana_options ${ARG_DEPENDS})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE aduana_options ${ARG_DEPENDS})
  endif()
endfunction()

# aduana_program(NAME [DEPENDS target...]): main.cpp of this folder.
function(aduana_program name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${name} main.cpp)
  target_link_libraries(${name} PRIVATE aduana_options ${ARG_DEPENDS})
endfunction()

# aduana_tests(NAME [DEPENDS target...]): a GoogleTest program of all *_test.cpp of this folder.
function(aduana_tests name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE aduana_options GTest::gtest_main GTest::gmock ${ARG_DEPENDS})
  target_compile_definitions(${name} PRIVATE ADUANA_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ADUANA_BINARY_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
endfunction()

# aduana_fuzz(NAME [DEPENDS target...]): NAME.cpp defines LLVMFuzzerTestOneInput. Outside the fuzz preset the target
# replays its seeds as a test, so that a target that no longer compiles or fails on a kept input turns the tests red.
function(aduana_fuzz name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(fuzz_${name} ${name}.cpp)
  target_link_libraries(fuzz_${name} PRIVATE aduana_options ${ARG_DEPENDS})
  if(ADUANA_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.cpp)
    add_test(NAME fuzz.${name}.seeds COMMAND fuzz_${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/seeds/${name})
  endif()
endfunction()

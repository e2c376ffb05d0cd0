# SPDX-License-Identifier: Apache-2.0
# The compiler, the language, the warnings and the sanitizers of every target.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR
    "GCC ${CMAKE_CXX_COMPILER_VERSION} miscompiles ordinary C++20 coroutines: they crash or corrupt memory at run time. "
    "Use Clang 16 (apt-get install clang-16 libclang-rt-16-dev, or ./dev deps) and a preset: cmake --preset release. "
    "GCC 14 and newer are accepted.")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(ADUANA_TESTS "Build the tests" ON)
option(ADUANA_FUZZ "Build the fuzz targets with libFuzzer" OFF)
option(ADUANA_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer in everything but the static stub" OFF)

add_library(aduana_options INTERFACE)
target_compile_options(aduana_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Werror
                                                -fno-omit-frame-pointer -fstack-protector-strong)
target_include_directories(aduana_options INTERFACE ${CMAKE_SOURCE_DIR})
target_link_options(aduana_options INTERFACE -Wl,-z,relro,-z,now)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(aduana_options INTERFACE -fuse-ld=lld)
endif()
if(ADUANA_SANITIZE)
  target_compile_options(aduana_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_link_options(aduana_options INTERFACE -fsanitize=address,undefined)
endif()
if(ADUANA_FUZZ)
  target_compile_options(aduana_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

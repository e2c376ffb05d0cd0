# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, each as one imported target. `./dev deps` installs the packages.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(CURL 7.85 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(CARES REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(MNL REQUIRED IMPORTED_TARGET libmnl)
pkg_check_modules(NFTABLES REQUIRED IMPORTED_TARGET libnftables)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(IDN2 REQUIRED IMPORTED_TARGET libidn2)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(HYPERSCAN REQUIRED IMPORTED_TARGET libhs) # Vectorscan goes by the same name

find_path(LDNS_INCLUDE ldns/ldns.h REQUIRED)
find_library(LDNS_LIBRARY ldns REQUIRED)
add_library(ldns INTERFACE)
target_include_directories(ldns SYSTEM INTERFACE ${LDNS_INCLUDE})
target_link_libraries(ldns INTERFACE ${LDNS_LIBRARY} OpenSSL::Crypto)

# Debian ships llhttp as generated C sources inside the package node-llhttp.
find_path(LLHTTP_INCLUDE llhttp.h REQUIRED PATHS /usr/share/include/llhttp)
find_path(LLHTTP_SOURCE llhttp.c REQUIRED PATHS /usr/share/llhttp)
add_library(llhttp STATIC ${LLHTTP_SOURCE}/llhttp.c ${LLHTTP_SOURCE}/api.c ${LLHTTP_SOURCE}/http.c)
target_include_directories(llhttp SYSTEM PUBLIC ${LLHTTP_INCLUDE})

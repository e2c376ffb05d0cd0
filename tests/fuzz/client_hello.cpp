// SPDX-License-Identifier: Apache-2.0
// What is decided for the first bytes of a connection stays decided when more of them arrive.
#include "proxy/core/client_hello.hpp"

#include <cstdlib>

namespace {

using namespace aduana::proxy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto whole = read_client_hello(bytes);
    if (size > 0 && whole.state == HelloState::complete)
        require(classify_first_bytes(bytes) == FirstByte::tls);
    const std::size_t stride = 1 + size / 256;
    for (std::size_t cut = 0; cut < size; cut += stride) {
        const auto part = read_client_hello(bytes.substr(0, cut));
        if (part.state == HelloState::need_more)
            continue;
        require(part.state == whole.state);
        require(part.hello.server_name == whole.hello.server_name && part.hello.alpn == whole.hello.alpn);
    }
    return 0;
}

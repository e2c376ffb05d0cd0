// SPDX-License-Identifier: Apache-2.0
// Frames of the socket of `aduana serve`: whatever is decoded encodes to the same frame.
#include "cli/serve/codec.hpp"

#include <cstdlib>

using namespace aduana;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view frame(reinterpret_cast<const char*>(data), size);
    const auto decoded = serve::decode(frame);
    if (!decoded) {
        require(!decoded.error().message.empty());
        return 0;
    }
    require(serve::encode(decoded->message, decoded->request).frame() == frame);
    return 0;
}

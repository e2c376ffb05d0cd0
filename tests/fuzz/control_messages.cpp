// SPDX-License-Identifier: Apache-2.0
// Frames of the proxy's control socket: whatever is decoded encodes to a frame that decodes to the same.
#include "proxy/control/codec.hpp"

#include <cstdlib>

using namespace aduana::proxy;

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
    const auto decoded = control::decode(frame);
    if (!decoded) {
        require(!decoded.error().message.empty());
        return 0;
    }
    const auto again = control::encode(decoded->message, decoded->request);
    // Totals may have more destinations than the encoder would send: then the second round is the one that is stable.
    if (control::type_of(decoded->message) != control::MessageType::task_closed)
        require(again.frame() == frame);
    const auto second = control::decode(again.frame());
    require(second.has_value());
    require(control::encode(second->message, second->request).frame() == again.frame());
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// PEM text from a host or an operator: whatever is accepted makes a trust folder that holds the same certificates.
#include "certs/trust.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace aduana::certs;
    const std::string_view pem(reinterpret_cast<const char*>(data), size);
    const auto certificates = certificates_in(pem);
    const auto folder = trust_folder("", pem);
    if (certificates.has_value() != folder.has_value())
        std::abort();
    if (!folder)
        return 0;
    const auto again = certificates_in(folder->front().content);
    if (!again || again->empty() || again->size() > certificates->size())
        std::abort();
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A response head that is accepted goes on as a head that is accepted again, and without the secret.
#include "proxy/core/body.hpp"
#include "proxy/core/head_parser.hpp"
#include "proxy/core/http1.hpp"

#include <cstdlib>

namespace {

using namespace aduana::proxy;

constexpr std::string_view secret = "s3cr3t-t0k3n";

const ScrubSet& scrub_set()
{
    static const ScrubSet set = [] {
        const auto value = aduana::Secret::copy_of(secret);
        return ScrubSet::of({&value});
    }();
    return set;
}

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    HeadScanner scanner;
    if (scanner.scan(bytes) != HeadScanner::State::complete)
        return 0;
    const auto head = parse_response_head(bytes.substr(0, scanner.head_size()));
    if (!head)
        return 0;
    require(head->status >= 100 && head->status <= 599 && head->status != 101);
    require(body_of(*head, "HEAD").kind == BodyLength::Kind::none);
    (void)wants_keep_alive(*head);

    std::string out;
    if (head->status < 200) {
        append_head(out, rewrite_interim(*head, scrub_set()), {});
    } else {
        const bool bodiless = head->status == 204 || head->status == 304;
        append_head(out, rewrite_response(*head, scrub_set(), Credentialed::yes),
                    {bodiless ? ResponseFraming::none : ResponseFraming::chunked, 0, true});
    }
    require(out.find(secret) == std::string::npos);
    if (head->fields.size() + 2 > max_fields || out.size() > max_head)
        return 0; // at the limit already: what the proxy adds does not count for its client
    const auto again = parse_response_head(out);
    require(again.has_value() && again->status == head->status);
    return 0;
}

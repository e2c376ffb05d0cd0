// SPDX-License-Identifier: Apache-2.0
// Taken apart by hand: what a general parser would forgive is what is refused here.
#include "policy/https_url.hpp"

#include "policy/quote.hpp"

#include <algorithm>

namespace aduana::policy {
namespace {

constexpr std::string_view scheme = "https://";
constexpr std::size_t longest_url = 2048;
constexpr std::string_view shape = "write \"https://HOST/PATH\"";

// RFC 3986 section 2: reserved and unreserved characters, and the percent sign; '#' would begin a fragment.
bool is_url_character(char c)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || std::string_view("-._~:/?[]@!$&'()*+,;=%").find(c) != std::string_view::npos;
}

Result<Ok> check_spelling(std::string_view text)
{
    if (!text.starts_with(scheme))
        return Error{quoted(text) + " is not an https URL", std::string(shape)};
    if (text.size() > longest_url)
        return Error{"the URL " + quoted(text) + " is longer than 2048 bytes", std::string(shape)};
    if (text.find('#') != text.npos)
        return Error{"the URL " + quoted(text) + " holds a fragment, which is never sent", "remove the # and the rest"};
    if (!std::ranges::all_of(text, is_url_character))
        return Error{"the URL " + quoted(text) + " holds a character that a URL cannot hold",
                     "write it in its percent-encoded form"};
    return Ok{};
}

} // namespace

Result<HttpsUrl> HttpsUrl::parse(std::string_view text)
{
    if (const auto spelled = check_spelling(text); !spelled)
        return spelled.error();
    const auto rest = text.substr(scheme.size());
    const auto end = std::min(rest.find_first_of("/?"), rest.size());
    const auto place = rest.substr(0, end);
    if (place.find('@') != place.npos)
        return Error{"the URL of host " + quoted(place.substr(place.rfind('@') + 1)) + " holds a user",
                     "remove everything up to the @; secrets are given on their own"};
    auto authority = parse_authority(place);
    if (!authority)
        return Error{"the URL " + quoted(text) + ": " + authority.error().message, authority.error().remedy};
    const auto port = authority->port.value_or(443);
    if (port == 0)
        return Error{"the URL " + quoted(text) + " names port 0", std::string(shape)};
    auto target = std::string(rest.substr(end));
    if (!target.starts_with('/'))
        target.insert(0, "/");
    return HttpsUrl{std::move(authority->host), port, std::move(target), std::string(text)};
}

} // namespace aduana::policy

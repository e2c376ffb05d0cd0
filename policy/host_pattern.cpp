// SPDX-License-Identifier: Apache-2.0
// Hosts of rules. Most of it is for people: each common mistake is told with what to write instead.
#include "policy/address.hpp"
#include "policy/host.hpp"
#include "policy/quote.hpp"

#include <algorithm>

namespace aduana::policy {
namespace {

/// The host of something that was meant as a URL, for a suggestion.
std::string_view host_inside(std::string_view url)
{
    if (const auto scheme = url.find("://"); scheme != std::string_view::npos)
        url.remove_prefix(scheme + 3);
    url = url.substr(0, url.find_first_of("/?#"));
    if (const auto user = url.rfind('@'); user != std::string_view::npos)
        url.remove_prefix(user + 1);
    if (url.starts_with('['))
        return url.substr(0, url.find(']') + 1);
    return url.substr(0, url.find(':'));
}

/// "x:443" and "[::1]:443", but not "::1".
bool has_port(std::string_view text)
{
    return text.starts_with('[') ? text.find("]:") != std::string_view::npos : std::ranges::count(text, ':') == 1;
}

/// The mistakes that people make in the host of a rule, each with what to write instead.
std::optional<Error> pattern_fault(std::string_view text)
{
    const std::string shown = quoted(text);
    const std::string host = quoted(host_inside(text));
    if (text.find("://") != std::string_view::npos)
        return Error{shown + " is a URL, not a host",
                     "write only the host, " + host + "; scheme, ports and paths have keys of their own"};
    if (text.find('/') != std::string_view::npos && Cidr::parse(text))
        return Error{shown + " is a range of addresses, not a host",
                     "name the host here and put the range under `addresses`"};
    if (text.find_first_of("/?#") != std::string_view::npos)
        return Error{shown + " is more than a host", "write only the host, " + host + "; paths go under `paths`"};
    if (text.find('@') != std::string_view::npos)
        return Error{shown + " holds user information", "write only the host, " + host};
    if (text.starts_with("*.") && text.find('*', 1) == std::string_view::npos)
        return Error{shown + " is not a host pattern",
                     "write " + quoted(text.substr(1)) +
                         " for every subdomain; the name itself is an entry of its own"};
    if (text.find('*') != std::string_view::npos)
        return Error{shown + " is not a host pattern: `*` stands alone",
                     "write whole names, \".example.com\" for every subdomain, or \"*\" for any public host"};
    if (has_port(text))
        return Error{shown + " names a port", "write only the host, " + host + "; ports go under `ports`"};
    return std::nullopt;
}

} // namespace

Result<HostPattern> HostPattern::parse(std::string_view text)
{
    HostPattern pattern;
    if (text == "*") {
        pattern.kind_ = Kind::any;
        pattern.text_ = text;
        return pattern;
    }
    if (auto fault = pattern_fault(text))
        return std::move(*fault);
    const bool suffix = text.starts_with('.');
    auto host = Host::parse(suffix ? text.substr(1) : text);
    if (!host)
        return host.error();
    if (!suffix) {
        pattern.text_ = host->text();
        pattern.ip_ = host->ip();
        return pattern;
    }
    if (!host->is_name())
        return Error{quoted(text) + " is not a host pattern: an address has no subdomains",
                     "write " + quoted(host->text())};
    if (host->text().find('.') == std::string::npos)
        return Error{quoted(text) + " covers a whole top-level domain",
                     "name a domain, such as \".example." + host->text() + "\", or \"*\" for any public host"};
    pattern.kind_ = Kind::suffix;
    pattern.text_ = "." + host->text();
    return pattern;
}

bool HostPattern::matches(const Host& host) const
{
    switch (kind_) {
    case Kind::exact:
        return text_ == host.text();
    case Kind::suffix:
        return host.is_name() && host.text().size() > text_.size() && host.text().ends_with(text_);
    case Kind::any:
        return is_public(host);
    }
    return false;
}

bool HostPattern::covers(const HostPattern& inner) const
{
    if (inner.kind_ == Kind::any || kind_ == Kind::exact)
        return *this == inner;
    if (inner.kind_ == Kind::suffix)
        return kind_ == Kind::any || inner.text_.ends_with(text_);
    if (inner.ip_)
        return kind_ == Kind::any && classify(*inner.ip_) == AddressClass::global;
    const std::string& name = inner.text_;
    if (kind_ == Kind::any)
        return name.find('.') != std::string::npos;
    return name.size() > text_.size() && name.ends_with(text_);
}

} // namespace aduana::policy

// SPDX-License-Identifier: Apache-2.0
// Options to settings: hosts and addresses are read as everywhere.
#include "broker/courier/options.hpp"

#include <getopt.h>

#include <array>
#include <charconv>

namespace aduana::broker {
namespace {

constexpr const char* hint = "see aduana-courier --help";

Result<Ok> take_descriptor(int& descriptor, std::string_view text, const char* name)
{
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor);
    if (error != std::errc() || stop != text.data() + text.size() || descriptor < 0)
        return Error{std::string(name) + " is no descriptor: " + std::string(text), hint};
    return Ok{};
}

Result<Ok> take_host(CourierSettings& settings, std::string_view text)
{
    const Error bad{"--host is not NAME=IP[,IP...]: " + std::string(text), hint};
    const auto equals = text.find('=');
    const auto host = policy::Host::parse(text.substr(0, equals));
    if (equals == text.npos || !host)
        return bad;
    auto& addresses = settings.hosts[host->text()];
    for (auto rest = text.substr(equals + 1); !rest.empty();) {
        const auto comma = rest.find(',');
        const auto ip = policy::Ip::parse(rest.substr(0, comma));
        if (!ip)
            return bad;
        addresses.push_back(*ip);
        rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    return Ok{};
}

Result<Ok> take_parent(CourierSettings& settings, std::string_view text)
{
    const auto authority = policy::parse_authority(text);
    const auto port = authority ? authority->port : std::nullopt;
    if (!port)
        return Error{"--parent is not HOST:PORT: " + std::string(text), hint};
    settings.parent = policy::ParentProxy{.host = authority->host, .port = *port, .credential = {}, .except = {}};
    return Ok{};
}

Result<Ok> take_except(CourierSettings& settings, std::string_view text)
{
    auto pattern = policy::HostPattern::parse(text);
    if (!pattern || !settings.parent)
        return Error{"--except names no host, or comes before --parent: " + std::string(text), hint};
    settings.parent->except.push_back(std::move(*pattern));
    return Ok{};
}

Result<Ok> take(CourierOptions& options, int found, std::string_view text)
{
    switch (found) {
    case 'b':
        return take_descriptor(options.broker, text, "--broker-fd");
    case 'r':
        return take_descriptor(options.roots, text, "--roots-fd");
    case 'H':
        return take_host(options.settings, text);
    case 'p':
        return take_parent(options.settings, text);
    case 'e':
        return take_except(options.settings, text);
    case 'h':
        options.help = true;
        return Ok{};
    default:
        return Error{"unknown option", hint};
    }
}

} // namespace

Result<CourierOptions> read_courier_options(int count, char** arguments)
{
    constexpr std::array<option, 7> known{option{"broker-fd", required_argument, nullptr, 'b'},
                                          option{"roots-fd", required_argument, nullptr, 'r'},
                                          option{"host", required_argument, nullptr, 'H'},
                                          option{"parent", required_argument, nullptr, 'p'},
                                          option{"except", required_argument, nullptr, 'e'},
                                          option{"help", no_argument, nullptr, 'h'},
                                          option{}};
    CourierOptions options;
    for (int found = 0; (found = ::getopt_long(count, arguments, "h", known.data(), nullptr)) != -1;) {
        if (const auto taken = take(options, found, optarg != nullptr ? optarg : ""); !taken)
            return taken.error();
    }
    if (!options.help && (options.broker < 0 || options.roots < 0 || optind != count))
        return Error{"--broker-fd and --roots-fd are needed", hint};
    return options;
}

} // namespace aduana::broker

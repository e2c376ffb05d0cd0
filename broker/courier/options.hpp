// SPDX-License-Identifier: Apache-2.0
// The command line of aduana-courier.
#pragma once

#include "broker/courier/settings.hpp"

namespace aduana::broker {

inline constexpr const char* courier_usage =
    "usage: aduana-courier --broker-fd N --roots-fd M [--host NAME=IP[,IP...]]... [--parent HOST:PORT [--except "
    "HOST]...]\n"
    "\n"
    "Carries the broker's calls to issuers of credentials. `aduana` starts it, without root, with one end of a\n"
    "SEQPACKET pair on descriptor N; it ends when that closes.\n"
    "\n"
    "  --broker-fd N     from aduana-broker\n"
    "  --roots-fd M      the trusted root certificates, PEM\n"
    "  --host NAME=IP    fixed addresses of a name (`upstream.hosts`); may be repeated\n"
    "  --parent H:P      the proxy that every call goes through (`upstream.parent_proxy`)\n"
    "  --except HOST     is called directly; may be repeated\n"
    "\n"
    "example: aduana-courier --broker-fd 3 --roots-fd 4\n";

struct CourierOptions {
    int broker = -1;
    int roots = -1;
    CourierSettings settings{}; ///< without `roots`, which are read from the descriptor
    bool help = false;
};

/// An error names the option.
[[nodiscard]] Result<CourierOptions> read_courier_options(int count, char** arguments);

} // namespace aduana::broker

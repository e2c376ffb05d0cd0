// SPDX-License-Identifier: Apache-2.0
// Fields and parameters by which a request asks for another method or path than its first line has.
#pragma once

#include "proxy/core/head.hpp"

#include <optional>
#include <string_view>

namespace aduana::proxy {

/// X-HTTP-Method-Override, X-Original-URL and their kin, with "-" or "_".
[[nodiscard]] bool is_override(std::string_view field_name);

/// The name of the field, or of the parameter of `query` (such as "_method"), by which a server could run the request
/// with another method or for another path. A method that is repeated is no other one. Fields are never sent on anyhow;
/// a parameter is, so it must be refused wherever a rule looks at methods or paths. Not looked for in bodies: the form
/// fields of a POST are data of the one who may POST.
[[nodiscard]] std::optional<std::string_view> find_override(const RequestHead& head, std::string_view query);

} // namespace aduana::proxy

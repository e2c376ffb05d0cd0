// SPDX-License-Identifier: Apache-2.0
// The one user of spdlog in this program: it is slow to compile.
#include "proxy/shell/diagnostics.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace aduana::proxy::diagnostics {

namespace {

spdlog::logger& logger()
{
    static const auto instance = [] {
        auto made = spdlog::stderr_logger_mt("aduana-proxy");
        made->set_pattern("%n: %l: %v");
        return made;
    }();
    return *instance;
}

} // namespace

void warn(std::string_view text)
{
    logger().warn("{}", text);
}

void fail(std::string_view text)
{
    logger().error("{}", text);
}

} // namespace aduana::proxy::diagnostics

// SPDX-License-Identifier: Apache-2.0
// spdlog to stderr, without time or level: the lines stand among those of a command.
#include "broker/shell/diagnostics.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace aduana::broker {

void start_diagnostics()
{
    auto logger = spdlog::stderr_logger_st("aduana-broker");
    // No time in the pattern: the time zone would be read from a file, which is not possible any more later.
    logger->set_pattern("aduana: broker: %v");
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
}

void warn(std::string_view text)
{
    spdlog::warn("{}", text);
}

void complain(const Error& error)
{
    spdlog::error("{}", describe(error));
}

} // namespace aduana::broker

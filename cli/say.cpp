// SPDX-License-Identifier: Apache-2.0
// Printing for people: one write(2) a line, so that lines of parallel runs do not mix.
#include "cli/say.hpp"

#include <unistd.h>

namespace aduana::cli {

namespace {

void put(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

std::string sanitised(std::string_view text, Newlines newlines)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const bool printable = c >= 0x20 && c < 0x7f;
        const bool kept = printable || (c == '\n' && newlines == Newlines::keep);
        out += kept ? c : '?';
    }
    return out;
}

void say(std::string_view text)
{
    put("aduana: " + sanitised(text, Newlines::replace) + "\n");
}

void say(const Error& error)
{
    if (error.message.find('\n') == std::string::npos)
        say(describe(error));
    else
        say_block(error.message);
}

void say_block(std::string_view text)
{
    put(sanitised(text, Newlines::keep));
}

} // namespace aduana::cli

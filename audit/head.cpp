// SPDX-License-Identifier: Apache-2.0
// The signed head beside a journal.
#include "audit/head.hpp"

#include "audit/journal.hpp"
#include "audit/json_line.hpp"

#include <boost/json/parse.hpp>

namespace aduana::audit {
namespace {

std::string string_in(const boost::json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(name);
    const auto* text = value ? value->if_string() : nullptr;
    return text ? std::string(*text) : std::string();
}

} // namespace

std::string head_statement(std::string_view task, std::uint64_t seq, std::string_view hash)
{
    std::string statement = "aduana journal head v1\n";
    statement += task;
    statement += '\n';
    statement += std::to_string(seq);
    statement += '\n';
    statement += hash;
    statement += '\n';
    return statement;
}

std::string format_head(const Head& head)
{
    std::string text;
    text.reserve(head_size);
    JsonLine line(text);
    line.number("v", 1).number("seq", head.seq).text("hash", head.hash).text("signature", head.signature);
    line.end();
    text.resize(head_size - 1, ' ');
    text += '\n';
    return text;
}

std::optional<Head> parse_head(std::string_view text)
{
    if (text.size() != head_size)
        return std::nullopt;
    boost::json::error_code error;
    const auto value = boost::json::parse(text, error);
    if (error || !value.is_object())
        return std::nullopt;
    const auto& object = value.get_object();
    Head head;
    head.hash = string_in(object, "hash");
    head.signature = string_in(object, "signature");
    const auto* seq = object.if_contains("seq");
    if (!seq || !seq->is_int64() || seq->get_int64() < 1)
        return std::nullopt;
    head.seq = static_cast<std::uint64_t>(seq->get_int64());
    // Any other spelling was not written by us: one flipped byte, even among the blanks, is noticed.
    if (format_head(head) != text)
        return std::nullopt;
    return head;
}

} // namespace aduana::audit

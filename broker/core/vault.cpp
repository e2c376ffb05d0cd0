// SPDX-License-Identifier: Apache-2.0
// Admission of secret values.
#include "broker/core/vault.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

std::string_view without_line_end(std::string_view value)
{
    if (value.ends_with("\r\n"))
        value.remove_suffix(2);
    else if (value.ends_with('\n'))
        value.remove_suffix(1);
    return value;
}

Error bad_byte(const std::string& credential, std::string_view value, std::size_t position)
{
    // The class of the byte is told, the byte is not.
    const char byte = value[position];
    const auto* kind = byte == ' ' || byte == '\t'    ? "a space"
                       : byte == '\n' || byte == '\r' ? "a line end"
                       : byte == '\0'                 ? "a NUL byte"
                       : (byte & 0x80) != 0           ? "a byte outside ASCII"
                                                      : "a control character";
    return {"credential '" + credential + "': its value has " + kind + " at byte " + std::to_string(position + 1) +
                " of " + std::to_string(value.size()),
            "store the bare value: visible ASCII only, on one line"};
}

} // namespace

Result<Ok> check_value(const std::string& credential, std::string_view value)
{
    const auto subject = "credential '" + credential + "': its value ";
    if (value.empty())
        return Error{subject + "is empty", "write the secret into its source"};
    if (value.size() > max_secret)
        return Error{subject + "has " + std::to_string(value.size()) + " bytes; at most 8192 are possible",
                     "is this the right file? a key or a token is shorter"};
    const auto bad = std::ranges::find_if(value, [](char byte) { return byte < 0x21 || byte > 0x7e; });
    if (bad != value.end())
        return bad_byte(credential, value, static_cast<std::size_t>(bad - value.begin()));
    if (value.size() < min_secret)
        return Error{subject + "is too short to be found in responses: at least 8 bytes are needed",
                     "use a longer secret"};
    return Ok{};
}

Result<Ok> Vault::put(const std::string& credential, const Secret& value)
{
    const auto bare = without_line_end(value.reveal());
    if (const auto checked = check_value(credential, bare); !checked)
        return checked.error();
    values_.insert_or_assign(credential, Secret::copy_of(bare));
    return Ok{};
}

void Vault::keep(const std::string& credential, const Secret& value)
{
    values_.insert_or_assign(credential, value.duplicate());
}

const Secret* Vault::find(const std::string& credential) const
{
    const auto found = values_.find(credential);
    return found == values_.end() ? nullptr : &found->second;
}

} // namespace aduana::broker

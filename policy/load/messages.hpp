// SPDX-License-Identifier: Apache-2.0
// Every message of the loader: one table, so that tests can show that each has a case with its exact text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace aduana::policy::load {

enum class Mistake : std::uint8_t {
    // The text
    file_too_long,
    file_empty,
    not_utf8,
    character_refused,
    tab,
    directive,
    syntax,
    quote_open,
    star_unquoted,
    second_document,
    too_deep,
    anchor,
    alias,
    tag,
    merge_key,
    key_not_text,
    key_twice,
    nul_in_text,
    too_many,
    // Keys and values of any file
    key_unknown,
    not_available_yet,
    key_missing,
    value_empty,
    not_text,
    not_list,
    not_mapping,
    list_empty,
    listed_twice,
    number_malformed,
    number_out_of_range,
    version_unknown,
    name_invalid,
    name_twice,
    path_not_plain,
    variable_invalid,
    variable_reserved,
    limit_invalid,
    // Destinations, in rules and in bounds
    host_invalid,
    scheme_unknown,
    method_invalid,
    method_lower_case,
    method_never,
    path_invalid,
    address_invalid,
    address_metadata,
    credential_in_clear,
    credential_to_any_host,
    deny_key,
    flag_invalid,
    websocket_without_get,
    tcp_key,
    tcp_shadow,
    tunnel_inspected,
    tunnel_too_many,
    // The sandbox
    variable_too_long,
    variable_set_and_passed,
    mode_unknown,
    mount_twice,
    // Credentials
    preset_unknown,
    preset_exceeded,
    parameter_value,
    choice_missing,
    choice_several,
    secret_inline,
    url_invalid,
    text_not_visible,
    word_unknown,
    lifetime_out_of_range,
    claim_reserved,
    list_too_long,
    repository_invalid,
    api_path_invalid,
    registry_scope_invalid,
    region_invalid,
    role_invalid,
    bound_to_any_host,
    user_invalid,
    header_invalid,
    header_reserved,
    format_invalid,
    parameter_invalid,
    segment_invalid,
    pointer_invalid,
    cookie_invalid,
    placeholder_needed,
    unbound_unknown,
    foreign_unknown,
    scope_invalid,
    permission_unknown,
    message_invalid,
    message_lacks,
    encoding_unknown,
    aws_placeholder_needed,
    aws_placeholder_useless,
    ttl_invalid,
    ttl_out_of_range,
    prefix_invalid,
    placeholder_twice,
    issuer_unused,
    // The operator's file
    ip_invalid,
    fixed_host_invalid,
    fixed_host_is_ip,
    fixed_host_twice,
    parent_url_invalid,
    parent_excepts_all,
    fixed_host_behind_parent,
    durability_unknown,
    identity_twice,
    // Policy and credentials together
    credential_undeclared,
    bound_host,
    bound_port,
    bound_all_methods,
    bound_method,
    bound_all_paths,
    bound_path,
    bound_preset,
    secret_passed,
    placeholder_overwritten,
    secret_mounted,
};

/// One row: `code` is stable and kebab-case; %1, %2, ... in `message` and `help` are replaced by the arguments.
struct MistakeText {
    Mistake mistake;
    std::string_view code;
    std::string_view message;
    std::string_view help;
};

[[nodiscard]] const MistakeText& text_of(Mistake mistake);
[[nodiscard]] std::span<const MistakeText> all_mistakes();

/// `pattern` with %N replaced by the Nth argument. An argument is put in as it is: a "%1" inside it stays.
[[nodiscard]] std::string fill(std::string_view pattern, std::initializer_list<std::string_view> arguments);

} // namespace aduana::policy::load

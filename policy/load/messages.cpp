// SPDX-License-Identifier: Apache-2.0
// The table of the loader's messages, in the order of the enumeration.
#include "policy/load/messages.hpp"

#include <array>
#include <cstddef>

namespace aduana::policy::load {

namespace {

using enum Mistake;

constexpr auto table = std::to_array<MistakeText>({
    {file_too_long, "file-too-long", "the file is longer than 1 MiB",
     "shorten it; one \".example.com\" stands for all subdomains"},
    {file_empty, "file-empty", "the file says nothing", "write at least `version: 1`"},
    {not_utf8, "not-utf8", "this byte is not UTF-8", "save the file as UTF-8"},
    {character_refused, "character-refused", "the invisible character U+%1 is not accepted",
     "remove it; a value in double quotes may hold it as an escape such as \"\\n\" or \"\\u200b\""},
    {tab, "tab", "a tab stands here", "use spaces; a value in double quotes may hold it as \"\\t\""},
    {directive, "directive", "YAML directives are not accepted", "remove the line"},
    {syntax, "syntax", "this is not YAML: %1",
     "check indentation and brackets, and quote values that hold any of : # [ ] { } , & * ! | > ' \" % @ `"},
    {quote_open, "quote-open", "a quoted value is not closed before the end of the file", "write the closing quote"},
    {star_unquoted, "star-unquoted", "without quotes, YAML reads `*` as the start of an alias",
     "write \"*\" for any public host, \".example.com\" for every subdomain, \"/v1/*\" for a path"},
    {second_document, "second-document", "something stands behind the end of the document",
     "check the indentation; a file holds one document"},
    {too_deep, "too-deep", "lists and mappings are nested deeper than 8 levels", "remove the inner brackets"},
    {anchor, "anchor", "YAML anchors are not accepted", "remove it and write the value wherever it is needed"},
    {alias, "alias", "YAML aliases are not accepted", "write the value itself"},
    {tag, "tag", "YAML tags are not accepted", "remove it; every value is taken as it is written"},
    {merge_key, "merge-key", "YAML merge keys are not accepted", "write the keys themselves"},
    {key_not_text, "key-not-text", "a key must be a plain word",
     "write `KEY: VALUE`; a key named null or ~ needs quotes"},
    {key_twice, "key-twice", "%1 stands here a second time; the first is on line %2", "keep one of them"},
    {nul_in_text, "nul-in-text", "the value holds a NUL character", "remove the escape"},
    {too_many, "too-many", "%1 more mistakes are not shown", "correct those above first"},

    {key_unknown, "key-unknown", "%1 is not a key of %2", "%3known keys: %4"},
    {not_available_yet, "not-available-yet", "%1 is not available yet", "%2"},
    {key_missing, "key-missing", "%1 is missing from %2", "write %3"},
    {value_empty, "value-empty", "%1 has no value",
     "write one or remove the line; an empty text is written \"\", the word null \"null\""},
    {not_text, "not-text", "%1 must be a single value", "write one value instead of a list or mapping"},
    {not_list, "not-list", "%1 must be a list", "write it in brackets: [%2]"},
    {not_mapping, "not-mapping", "%1 must hold keys and values", "write `KEY: VALUE`; keys: %2"},
    {list_empty, "list-empty", "%1 is an empty list", "%2"},
    {listed_twice, "listed-twice", "%1 is listed twice", "remove one of them"},
    {number_malformed, "number-malformed", "%1 is not a whole number: %2",
     "write decimal digits alone, without sign, point, unit or leading zero"},
    {number_out_of_range, "number-out-of-range", "%1 is out of range: %2", "write a number from %3 to %4"},
    {version_unknown, "version-unknown", "version %1 is not known", "write `version: 1`"},
    {name_invalid, "name-invalid", "%1 cannot be a name",
     "write 1 to 64 of the characters a-z 0-9 . _ - and begin with a letter or digit"},
    {name_twice, "name-twice", "the name %1 is taken by the rule on line %2",
     "give each rule of `allow` and `deny` a name of its own: records tell rules apart by it"},
    {path_not_plain, "path-not-plain", "%1 is not a plain absolute path: %2",
     "begin with `/`, without `.`, `..`, `//`, control characters or a `/` at the end"},
    {variable_invalid, "variable-invalid", "%1 cannot be the name of an environment variable",
     "write letters, digits and `_`, and do not begin with a digit"},
    {variable_reserved, "variable-reserved", "%1", "%2"},
    {limit_invalid, "limit-invalid", "%1", "%2"},

    {host_invalid, "host-invalid", "%1", "%2"},
    {scheme_unknown, "scheme-unknown", "%1 is not a scheme", "write https (the default), http or tcp"},
    {method_invalid, "method-invalid", "%1 is not an HTTP method", "write a word such as GET, POST or DELETE"},
    {method_lower_case, "method-lower-case", "the method %1 is not in upper case",
     "write %2: methods are case-sensitive, and servers differ in what they make of others"},
    {method_never, "method-never", "the method %1 is never let through",
     "remove it: TRACE echoes credentials, CONNECT opens a tunnel that nobody can look into"},
    {path_invalid, "path-invalid", "%1", "%2"},
    {address_invalid, "address-invalid", "%1", "%2"},
    {address_metadata, "address-metadata", "%1 holds the metadata service of a cloud",
     "remove it: that address hands out the machine's own credentials and is never dialled"},
    {credential_in_clear, "credential-in-clear", "credential %1 would travel in the clear: this rule's scheme is http",
     "write `scheme: https` or remove the credential"},
    {credential_to_any_host, "credential-to-any-host", "credential %1 would be sent to any host: `hosts` holds \"*\"",
     "name the hosts that may receive it"},
    {credential_unreached, "credential-unreached",
     "rule %2 on line %3 comes first and takes whatever goes to %1: this credential would never be used there",
     "put this rule before that one"},
    {deny_key, "deny-key", "%1 has no meaning in a deny rule", "remove it: nothing is sent where a deny rule matches"},
    {flag_invalid, "flag-invalid", "%1 is not a yes or no: %2", "write true or false"},
    {websocket_without_get, "websocket-without-get", "a WebSocket begins with GET, which `methods` does not list",
     "add GET to `methods`, or remove `websocket`"},
    {tcp_key, "tcp-key", "%1 has no meaning with `scheme: tcp`",
     "remove it: of raw TCP only host and port are seen, never a request"},
    {tcp_shadow, "tcp-shadow", "%1 belongs to rule %2 on line %3, whose scheme is %4",
     "a port is raw TCP or it is not, and the first rule says which: give this %5 rule another port, or remove one"},
    {tcp_denied, "tcp-denied", "%1 is closed by the deny rule %2 on line %3, which names requests",
     "a raw connection cannot be looked into: give the deny rule a `scheme`, or `ports` without this one"},
    {tunnel_inspected, "tunnel-inspected",
     "%1 needs a look into connections to %2, which `tls.tunnel` never opens (%3)",
     "remove %1 from this rule or %3 from `tls.tunnel`"},
    {tunnel_too_many, "tunnel-too-many", "`tunnel` lists more than 256 hosts",
     "write \".example.com\" for all subdomains of one name"},

    {variable_too_long, "variable-too-long", "the value of %1 is longer than 32 KiB",
     "put it in a file and mount that"},
    {variable_set_and_passed, "variable-set-and-passed", "%1 is set in `environment` as well",
     "keep it in one of `environment` and `pass_environment`"},
    {mode_unknown, "mode-unknown", "%1 is not a mode", "write ro (the default) or rw"},
    {mount_twice, "mount-twice", "%1 is taken by the mount on line %2", "mount it at another path with `at`"},

    {preset_unknown, "preset-unknown", "%1 is not a preset",
     "write one of: %2; or list `methods` and `paths` yourself"},
    {preset_exceeded, "preset-exceeded", "%1 is more than the preset %2 allows",
     "narrow it to what lies within: %3; or remove it"},
    {parameter_value, "parameter-value", "%1 cannot be the %2 of a preset", "write %3"},
    {choice_missing, "choice-missing", "%1 says nothing", "write one of: %2"},
    {choice_several, "choice-several", "%1 says more than one thing", "keep one of: %2"},
    {secret_inline, "secret-inline", "%1 is a secret: it cannot stand in this file",
     "store it with `aduana secret put NAME`, and name that: {secret: NAME}"},
    {url_invalid, "url-invalid", "%1", "%2"},
    {text_not_visible, "text-not-visible", "%1 must be 1 to 1024 visible ASCII characters, not %2",
     "remove spaces and other characters"},
    {word_unknown, "word-unknown", "%1 is not a value of %2", "write one of: %3"},
    {lifetime_out_of_range, "lifetime-out-of-range", "%1 is out of range: %2", "write whole seconds, %3"},
    {claim_reserved, "claim-reserved", "the claim %1 is set by Aduana itself",
     "remove it; how long a token lasts is said by `lifetime`"},
    {list_too_long, "list-too-long", "%1 lists more than %2", "%3"},
    {repository_invalid, "repository-invalid", "%1 is not the name of a repository",
     "write the name alone, without its owner"},
    {api_path_invalid, "api-path-invalid", "%1 is not a plain path: %2",
     "write segments of letters, digits and . _ - with one / between them"},
    {registry_scope_invalid, "registry-scope-invalid", "%1 is not the scope of a repository",
     "write \"repository:TEAM/NAME:pull\"; the actions are pull, push and delete"},
    {region_invalid, "region-invalid", "%1 is not a region", "write a region such as eu-west-1"},
    {role_invalid, "role-invalid", "%1 is not the ARN of a role", "write \"arn:aws:iam::ACCOUNT:role/NAME\""},
    {exec_text_invalid, "exec-text-invalid", "%1 is longer than 1024 bytes, or holds a character that cannot be seen",
     "put it into a file that the program reads"},
    {bound_to_any_host, "bound-to-any-host", "a credential cannot be bound to any host",
     "name the hosts, or \".example.com\" for every subdomain of one that you trust"},
    {user_invalid, "user-invalid", "the user %1 holds a colon or a control character",
     "remove it: Basic authentication ends the user's name at the first colon"},
    {header_invalid, "header-invalid", "%1 is not the name of a header", "write a name such as X-Api-Key"},
    {header_reserved, "header-reserved", "the header %1 frames the message or belongs to the connection",
     "write the header in which the service expects its key"},
    {format_invalid, "format-invalid", "the format %1 must hold {} exactly once, and printable ASCII else",
     "write for example \"token {}\": the value replaces {}"},
    {parameter_invalid, "parameter-invalid", "%1 is not the name of a parameter",
     "write 1 to 128 of the characters A-Z a-z 0-9 . _ ~ -"},
    {segment_invalid, "segment-invalid", "the segment %1 must hold {} exactly once, and A-Z a-z 0-9 . _ ~ - else",
     "write for example \"bot{}\": the client writes its placeholder in place of {}, and the value replaces that"},
    {pointer_invalid, "pointer-invalid", "%1 is not a JSON pointer to a member or an element",
     "write for example \"/auth/token\"; in a name, `~` is written ~0 and `/` is written ~1; in `capture`, * stands "
     "for each name of one level, and ** for nothing"},
    {cookie_invalid, "cookie-invalid", "%1 is not the name of a cookie", "write a name such as session"},
    {placeholder_needed, "placeholder-needed", "credential %1 is put where its placeholder stands, and it has none",
     "write `placeholder: {env: [VARIABLE]}`: programs send what that variable holds"},
    {unbound_unknown, "unbound-unknown", "%1 is not what can be done with a placeholder at another destination",
     "write block (the default for `head`) or pass (for `body`): it is never replaced there"},
    {foreign_unknown, "foreign-unknown", "%1 is not what can be done with a credential of the client's own",
     "write replace (the default: it is left out, and this one takes its place), or deny: the request is refused"},
    {scope_invalid, "scope-invalid", "%1 cannot stand in %2", "write small letters, digits and `-`, such as eu-west-1"},
    {service_mints, "service-mints", "the service %1 answers with keys or passwords, which the sandbox would hold",
     "remove it: `source: {aws: {...}}` has a role's keys made outside of the sandbox"},
    {permission_unknown, "permission-unknown", "%1 is neither allow nor deny: %2", "write allow or deny"},
    {message_invalid, "message-invalid", "the message %1 has braces that name no part of a request",
     "between braces, write one of: %2"},
    {message_lacks, "message-lacks", "%1 is sent, but the message does not have %2",
     "add it to `message`: what is not signed can be changed by anybody on the way"},
    {encoding_unknown, "encoding-unknown", "%1 is not an encoding of a signature", "write hex (the default) or base64"},
    {aws_placeholder_needed, "aws-placeholder-needed",
     "credential %1 signs for programs that sign themselves, and they have no key to sign with",
     "write `placeholder: {aws_env: AWS}`: the sandbox gets a meaningless AWS_ACCESS_KEY_ID and the like"},
    {aws_placeholder_useless, "aws-placeholder-useless",
     "credential %1 does not sign, and `aws_env` is for one that does",
     "write `env: [VARIABLE]`, or `inject: {sigv4: ...}`"},
    {ttl_invalid, "ttl-invalid", "%1", "%2"},
    {ttl_out_of_range, "ttl-out-of-range", "a lease of %1 is out of range", "write a duration from 1s to 24h"},
    {prefix_invalid, "prefix-invalid", "%1 cannot be the prefix of a placeholder",
     "write at most 16 letters, digits, `_` and `-`"},
    {prefix_of_shape, "prefix-of-shape", "a placeholder of the shape %1 begins as that shape does",
     "remove `prefix` or `shape`"},
    {placeholder_twice, "placeholder-twice", "%1 is already a placeholder of credential %2",
     "a variable holds one placeholder: name another variable"},
    {file_unknown, "file-unknown", "%1 is not a file that is known",
     "write npmrc, netrc, docker, aws or gcp, or {path: .config/tool/token, content: \"token = {}\"}"},
    {file_without_host, "file-without-host", "%1 names hosts, and `destinations` of %2 have none that is a whole name",
     "bind the credential to a host by its name, or write the file with `path` and `content`"},
    {file_path_invalid, "file-path-invalid", "%1 is not the path of a file in the home",
     "write for example .config/tool/token: without / in front, . or .., of the characters A-Z a-z 0-9 . _ - @ +"},
    {file_content_invalid, "file-content-invalid", "the content does not hold {}, or is longer than 16 KiB",
     "write {} where the placeholder stands"},
    {file_unfit, "file-unfit", "credential %1 has no placeholder for this file",
     "`aws` is for a credential with `aws_env`, and every other file for one with `env`; `gcp` needs `metadata: gcp`, "
     "too, where its tokens come from"},
    {file_taken, "file-taken", "%1 cannot be written: %2 is a file of credential %3",
     "a file has one credential, but for npmrc, netrc and docker, which list each of several once"},
    {metadata_unfit, "metadata-unfit", "%1 cannot answer with the placeholder of credential %2",
     "`ecs` and `imds` need `inject: {sigv4: ...}` and `aws_env`; `gcp` and `azure` need `env`, and the value in "
     "Authorization: `inject: {bearer: {}}`"},
    {metadata_taken, "metadata-taken", "%1 answers for credential %2 already",
     "a metadata service has one placeholder: remove `metadata` from one of the two"},
    {issuer_unused, "issuer-unused",
     "nobody is called for this credential: its source holds the value, or a program prints it", "remove `issuer`"},
    {capture_unreached, "capture-unreached", "the path %1 of `capture` is in no `destinations`",
     "write a path that a destination allows, or one within it"},

    {ip_invalid, "ip-invalid", "%1 is not an IP address",
     "write four decimal octets or an IPv6 address, without port, brackets or prefix length"},
    {fixed_host_invalid, "fixed-host-invalid", "%1", "%2"},
    {fixed_host_is_ip, "fixed-host-is-ip", "%1 is an address, not a name",
     "write a name: addresses are dialled as they are"},
    {fixed_host_twice, "fixed-host-twice", "%1 is the same host as on line %2", "put all addresses in one list"},
    {parent_url_invalid, "parent-url-invalid", "%1", "%2"},
    {parent_excepts_all, "parent-excepts-all", "`except` holds \"*\": nothing would go through the parent proxy",
     "name the hosts that are dialled directly, or remove `parent_proxy`"},
    {fixed_host_behind_parent, "fixed-host-behind-parent",
     "%1 has fixed addresses, but the parent proxy looks up its name",
     "list it under `except` of `parent_proxy` to dial it directly, or remove its addresses"},
    {durability_unknown, "durability-unknown", "%1 is not a durability",
     "write process (survives kill -9; the default) or power (survives loss of power)"},
    {identity_twice, "identity-twice", "%1 and %2 have the same id %3",
     "give each an id of its own: the kernel keeps them apart by it"},

    {credential_undeclared, "credential-undeclared", "credential %1 is not declared in the credentials file",
     "declare it there; declared are: %2"},
    {bound_host, "bound-host", "credential %1 is not bound to %2",
     "narrow `hosts`, or have the operator widen `destinations` (now: %3)"},
    {bound_port, "bound-port", "credential %1 is not bound to port %2 of %3",
     "narrow `ports`, or have the operator widen `destinations` (now: %4)"},
    {bound_all_methods, "bound-all-methods", "this rule allows every method, credential %1 is bound to some at %2",
     "write `methods: [%3]` or fewer of them"},
    {bound_method, "bound-method", "credential %1 is not bound to %2 at %3", "narrow `methods` to: %4"},
    {bound_all_paths, "bound-all-paths", "this rule allows every path, credential %1 is bound to some at %2",
     "write `paths: [%3]` or narrower ones"},
    {bound_path, "bound-path", "credential %1 is not bound to %2 at %3", "narrow `paths` to: %4"},
    {bound_preset, "bound-preset", "credential %1 has the preset %2 at %3, and this rule does not",
     "write `preset: %2` with the same parameters: what it closes is then refused before anything is sent"},
    {secret_passed, "secret-passed", "%1 holds the secret of credential %2",
     "remove it: the sandbox gets a placeholder, never the value"},
    {placeholder_overwritten, "placeholder-overwritten", "%1 is the placeholder of credential %2",
     "remove it here: Aduana sets it, and a real value must not enter the sandbox"},
    {secret_mounted, "secret-mounted", "the mount %1 shows the sandbox the secret of credential %2",
     "mount a folder that does not hold %3"},
});

} // namespace

const MistakeText& text_of(Mistake mistake)
{
    return table.at(static_cast<std::size_t>(mistake));
}

std::span<const MistakeText> all_mistakes()
{
    return table;
}

std::string fill(std::string_view pattern, std::span<const std::string_view> arguments)
{
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool slot = pattern[i] == '%' && i + 1 < pattern.size() && pattern[i + 1] >= '1' && pattern[i + 1] <= '9';
        const auto index = slot ? static_cast<std::size_t>(pattern[i + 1] - '1') : arguments.size();
        if (index >= arguments.size()) {
            out.push_back(pattern[i]);
            continue;
        }
        out.append(arguments[index]);
        ++i;
    }
    return out;
}

} // namespace aduana::policy::load

// SPDX-License-Identifier: Apache-2.0
// The options of a transfer, and what libcurl hands over.
#include "broker/courier/transfer.hpp"

#include "policy/address.hpp"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace aduana::broker {
namespace {

constexpr long connect_ms = 5000;

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \t\r\n";
    const auto first = text.find_first_not_of(blank);
    if (first == text.npos)
        return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::optional<policy::Ip> ip_of(const sockaddr& address)
{
    if (address.sa_family == AF_INET) {
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in&>(address).sin_addr, bytes.size());
        return policy::Ip::v4(bytes);
    }
    if (address.sa_family == AF_INET6) {
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, bytes.size());
        return policy::Ip::v6(bytes);
    }
    return std::nullopt;
}

std::string authority_of(const Endpoint& endpoint)
{
    return endpoint.host.uri_host() + ":" + std::to_string(endpoint.port);
}

bool is_excepted(const policy::ParentProxy& parent, const policy::Host& host)
{
    return std::ranges::any_of(parent.except,
                               [&](const policy::HostPattern& pattern) { return pattern.matches(host); });
}

} // namespace

Carrier::Transfer::Transfer(ErrandFrame errand, UniqueFd file, const CourierSettings& settings)
    : errand_(std::move(errand)), file_(std::move(file)), settings_(settings), handle_(curl_easy_init())
{
    if (!handle_) {
        setup_ = CURLE_OUT_OF_MEMORY;
        return;
    }
    set_rules();
    set_request();
    set_way();
    set_trust();
}

Carrier::Transfer::~Transfer()
{
    wipe(body_);
}

template <class Value>
void Carrier::Transfer::set(CURLoption option, Value value)
{
    if (setup_ == CURLE_OK)
        setup_ = curl_easy_setopt(handle_.get(), option, value);
}

void Carrier::Transfer::set_blob(CURLoption option, std::string_view bytes)
{
    // Copied, because libcurl may look at it until the handle ends; its memory is wiped when it is freed.
    const curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};
    set(option, &blob);
}

void Carrier::Transfer::append(List& list, const std::string& entry)
{
    // libcurl gives the same list back, or a new first entry.
    if (auto* longer = curl_slist_append(list.get(), entry.c_str())) {
        (void)list.release();
        list.reset(longer);
    }
}

void Carrier::Transfer::set_rules()
{
    set(CURLOPT_PROTOCOLS_STR, "https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(deadline.count()));
    set(CURLOPT_PRIVATE, static_cast<void*>(this));
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_field);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
}

void Carrier::Transfer::set_request()
{
    const auto& call = errand_.call;
    const auto url = "https://" + authority_of(call.endpoint) + call.endpoint.target;
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_CUSTOMREQUEST, call.method.c_str());
    const auto body = call.body.reveal();
    if (!body.empty() || call.method == "POST") {
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
        set(CURLOPT_POSTFIELDS, body.empty() ? "" : body.data());
    }
    append(fields_, "Expect:");
    // libcurl's own guess, where the call does not say it.
    append(fields_, "Content-Type:");
    for (const auto& field : call.fields) {
        auto line = field.name + ": " + std::string(field.value.reveal());
        append(fields_, line);
        wipe(line);
    }
    set(CURLOPT_HTTPHEADER, fields_.get());
}

void Carrier::Transfer::set_way()
{
    const auto& endpoint = errand_.call.endpoint;
    through_parent_ = settings_.parent && !is_excepted(*settings_.parent, endpoint.host);
    // Without this it would look into the environment.
    set(CURLOPT_PROXY, "");
    if (settings_.parent && through_parent_) {
        const auto& parent = *settings_.parent;
        const auto url = "http://" + parent.host.uri_host() + ":" + std::to_string(parent.port);
        set(CURLOPT_PROXY, url.c_str());
        set(CURLOPT_HTTPPROXYTUNNEL, 1L);
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
        return;
    }
    const auto fixed = settings_.hosts.find(endpoint.host.text());
    if (fixed == settings_.hosts.end())
        return;
    auto entry = endpoint.host.text() + ":" + std::to_string(endpoint.port) + ":";
    for (const auto& ip : fixed->second)
        entry += (entry.ends_with(':') ? "" : ",") + policy::Host::of(ip).uri_host();
    append(fixed_, entry);
    set(CURLOPT_RESOLVE, fixed_.get());
}

void Carrier::Transfer::set_trust()
{
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set_blob(CURLOPT_CAINFO_BLOB, settings_.roots);
    set(CURLOPT_SSL_CTX_FUNCTION, &Transfer::require_name);
    set(CURLOPT_SSL_CTX_DATA, static_cast<void*>(this));
    if (const auto& identity = errand_.call.identity) {
        set(CURLOPT_SSLCERTTYPE, "PEM");
        set_blob(CURLOPT_SSLCERT_BLOB, identity->certificate.reveal());
        set(CURLOPT_SSLKEYTYPE, "PEM");
        set_blob(CURLOPT_SSLKEY_BLOB, identity->key.reveal());
    }
}

std::size_t Carrier::Transfer::take_field(const char* bytes, std::size_t size, std::size_t count, void* self)
{
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view line(bytes, size * count);
    // A new head: what came before was an interim response (RFC 9110 section 15.2).
    if (line.starts_with("HTTP/"))
        transfer.answer_fields_.clear();
    const auto colon = line.find(':');
    if (line.starts_with("HTTP/") || colon == line.npos)
        return line.size();
    const auto value = trimmed(line.substr(colon + 1));
    if (transfer.answer_fields_.size() == max_answer_fields || value.size() > max_answer_value) {
        transfer.refusal_ = "its answer has more or longer header fields than are taken";
        return 0;
    }
    transfer.answer_fields_.push_back({lower_case(trimmed(line.substr(0, colon))), std::string(value)});
    return line.size();
}

std::size_t Carrier::Transfer::take_body(const char* bytes, std::size_t size, std::size_t count, void* self)
{
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view piece(bytes, size * count);
    if (transfer.body_.size() + piece.size() > max_answer_body) {
        transfer.refusal_ = "its answer is longer than 64 KiB";
        return 0;
    }
    // All of it at once, so that no copy is left behind by growing.
    transfer.body_.reserve(max_answer_body);
    transfer.body_ += piece;
    return piece.size();
}

/// The check of libcurl itself takes a common name where there is no other, which is none (RFC 9525 section 2).
CURLcode Carrier::Transfer::require_name(CURL*, void* context, void* self)
{
    const auto& host = static_cast<Transfer*>(self)->errand_.call.endpoint.host;
    X509_VERIFY_PARAM* const parameters = SSL_CTX_get0_param(static_cast<SSL_CTX*>(context));
    X509_VERIFY_PARAM_set_hostflags(parameters,
                                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const auto& ip = host.ip();
    const int set = ip ? X509_VERIFY_PARAM_set1_ip(parameters, ip->bytes().data(), ip->is_v4() ? 4 : ip->bytes().size())
                       : X509_VERIFY_PARAM_set1_host(parameters, host.text().data(), host.text().size());
    return set == 1 ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK;
}

curl_socket_t Carrier::Transfer::open_socket(void* self, curlsocktype, curl_sockaddr* address)
{
    auto& transfer = *static_cast<Transfer*>(self);
    const auto ip = ip_of(address->addr);
    const auto& endpoint = transfer.errand_.call.endpoint;
    policy::Rule rule;
    rule.addresses = endpoint.addresses;
    const auto allowed = ip && !policy::vet(std::array{*ip}, endpoint.port, rule).addresses.empty();
    if (!transfer.through_parent_ && !allowed) {
        transfer.refusal_ = "its address is not a public one: list its range in the source's `addresses`";
        return CURL_SOCKET_BAD;
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

Brought Carrier::Transfer::end(CURLcode result)
{
    const auto& host = errand_.call.endpoint.host.text();
    if (result != CURLE_OK) {
        const auto why = refusal_.empty() ? std::string(curl_easy_strerror(result)) : refusal_;
        return {{errand_.request, Undelivered{"the issuer " + host + " gave no answer: " + why}}, std::nullopt};
    }
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    Answer answer{static_cast<std::uint16_t>(status), std::move(answer_fields_), Secret::copy_of(body_)};
    Brought brought{{errand_.request, std::move(answer)}, std::nullopt};
    if (errand_.keep)
        brought.keeping = Keeping{std::move(*errand_.keep), std::move(file_)};
    return brought;
}

} // namespace aduana::broker

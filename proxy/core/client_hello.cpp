// SPDX-License-Identifier: Apache-2.0
// A ClientHello, read with lengths checked at every level; nothing is skipped that could hide a second name.
//
//   record: type(1) version(2) length(2) │ fragment...          one or more, all of type handshake
//   message: type(1)=client_hello length(3) │ version(2) random(32) session_id<0..32> cipher_suites<2..>
//            compression<1..> extensions<..>: type(2) data<..>
#include "proxy/core/client_hello.hpp"

#include "proxy/core/grammar.hpp"

namespace aduana::proxy {

namespace {

constexpr unsigned char handshake_record = 0x16;
constexpr unsigned char client_hello_message = 1;
constexpr std::size_t record_header = 5;
constexpr std::size_t max_record = (1U << 14); // RFC 8446 section 5.1: a plaintext fragment has at most 2^14 bytes
constexpr std::size_t max_records = 64; ///< bounds the work per piece when a client sends one byte in each record
constexpr std::size_t message_header = 4;

constexpr unsigned extension_server_name = 0;
constexpr unsigned extension_alpn = 16;
constexpr unsigned extension_encrypted_client_hello = 0xfe0d;

/// Reads big-endian numbers and length-prefixed blocks; after the first short read it stays failed.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    std::string_view bytes(std::size_t count)
    {
        if (failed_ || count > rest_.size()) {
            failed_ = true;
            return {};
        }
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    std::size_t number(std::size_t width)
    {
        std::size_t value = 0;
        for (const char c : bytes(width))
            value = value << 8 | static_cast<unsigned char>(c);
        return value;
    }
    std::string_view block(std::size_t width) { return bytes(number(width)); }
    [[nodiscard]] bool more() const { return !failed_ && !rest_.empty(); }
    /// Everything was read, and nothing was short.
    [[nodiscard]] bool complete() const { return !failed_ && rest_.empty(); }
    [[nodiscard]] bool failed() const { return failed_; }

private:
    std::string_view rest_;
    bool failed_ = false;
};

/// RFC 6066 section 3: a list of names, of which one type is defined; two names would leave the choice to the reader.
bool read_server_name(std::string_view data, ClientHello& hello)
{
    Reader outer(data);
    Reader list(outer.block(2));
    const auto type = list.number(1);
    const auto name = list.block(2);
    if (!outer.complete() || !list.complete() || type != 0 || name.empty())
        return false;
    hello.server_name = std::string(name);
    return true;
}

bool read_alpn(std::string_view data, ClientHello& hello)
{
    Reader outer(data);
    Reader list(outer.block(2));
    while (list.more()) {
        const auto protocol = list.block(1);
        if (protocol.empty())
            return false;
        hello.alpn.emplace_back(protocol);
    }
    return outer.complete() && list.complete() && !hello.alpn.empty();
}

bool read_extension(unsigned type, std::string_view data, ClientHello& hello)
{
    switch (type) {
    case extension_server_name:
        return read_server_name(data, hello);
    case extension_alpn:
        return read_alpn(data, hello);
    case extension_encrypted_client_hello:
        hello.encrypted_client_hello = true;
        return true;
    default:
        return true;
    }
}

bool read_extensions(std::string_view bytes, ClientHello& hello)
{
    Reader list(bytes);
    std::vector<bool> seen(1U << 16);
    while (list.more()) {
        const auto type = static_cast<unsigned>(list.number(2));
        const auto data = list.block(2);
        if (list.failed() || seen[type] || !read_extension(type, data, hello))
            return false;
        seen[type] = true;
    }
    return list.complete();
}

bool read_body(std::string_view body, ClientHello& hello)
{
    Reader reader(body);
    const auto version = reader.number(2);
    reader.bytes(32);
    const auto session = reader.block(1);
    const auto suites = reader.block(2);
    const auto compression = reader.block(1);
    if (reader.failed() || version >> 8 != 3 || session.size() > 32 || suites.empty() || suites.size() % 2 != 0 ||
        compression.empty())
        return false;
    if (reader.complete())
        return true; // no extensions at all: RFC 5246 section 7.4.1.2
    const auto extensions = reader.block(2);
    return reader.complete() && read_extensions(extensions, hello);
}

/// The fragments of the first handshake message, found without copying them: this runs again for every piece that
/// arrives, so its cost must not grow with the bytes that are there already.
struct Flight {
    HelloState state = HelloState::need_more;
    std::vector<std::string_view> fragments;
    std::size_t size = 0; ///< of the fragments together
};

/// The first `count` bytes of the fragments, or fewer.
std::string joined(const Flight& flight, std::size_t count)
{
    std::string message;
    for (const auto fragment : flight.fragments) {
        message.append(fragment.substr(0, count - message.size()));
        if (message.size() == count)
            break;
    }
    return message;
}

/// The size of the message with its header, or 0 while that header is incomplete.
std::size_t announced_size(const Flight& flight)
{
    const auto header = joined(flight, message_header);
    Reader reader(header);
    reader.number(1);
    const auto length = reader.number(3);
    return reader.failed() ? 0 : message_header + length;
}

/// One record header at the start of `bytes`: complete with the fragment's length, or why not.
HelloState read_record_header(std::string_view bytes, std::size_t& length)
{
    if (!bytes.empty() && static_cast<unsigned char>(bytes.front()) != handshake_record)
        return HelloState::not_tls;
    if (bytes.size() > 1 && bytes[1] != 3)
        return HelloState::not_tls;
    if (bytes.size() < record_header)
        return HelloState::need_more;
    Reader header(bytes.substr(3, 2));
    length = header.number(2);
    return length == 0 || length > max_record ? HelloState::invalid : HelloState::complete;
}

/// What the fragments so far amount to.
HelloState state_of(const Flight& flight)
{
    const auto first = flight.fragments.front();
    if (!first.empty() && first.front() != client_hello_message)
        return HelloState::invalid;
    const auto size = announced_size(flight);
    if (size > max_client_hello)
        return HelloState::invalid;
    if (size == 0 || flight.size < size)
        return HelloState::need_more;
    return flight.size == size ? HelloState::complete : HelloState::invalid;
}

Flight read_flight(std::string_view bytes)
{
    Flight flight;
    while (flight.fragments.size() < max_records) {
        std::size_t length = 0;
        flight.state = read_record_header(bytes, length);
        if (flight.state == HelloState::not_tls && !flight.fragments.empty())
            flight.state = HelloState::invalid;
        if (flight.state != HelloState::complete)
            return flight;
        const auto fragment = bytes.substr(record_header, length);
        bytes.remove_prefix(record_header + fragment.size());
        flight.fragments.push_back(fragment);
        flight.size += fragment.size();

        flight.state = state_of(flight);
        const bool whole = fragment.size() == length;
        if (flight.state == HelloState::complete && !whole) // a second message in its record: no client's first flight
            flight.state = HelloState::invalid;
        if (flight.state != HelloState::need_more || !whole)
            return flight;
    }
    flight.state = HelloState::invalid;
    return flight;
}

} // namespace

HelloResult read_client_hello(std::string_view bytes)
{
    const auto flight = read_flight(bytes);
    if (flight.state != HelloState::complete)
        return {flight.state, {}};
    HelloResult found{HelloState::complete, {}};
    const auto message = joined(flight, flight.size);
    if (!read_body(std::string_view(message).substr(message_header), found.hello))
        return {HelloState::invalid, {}};
    return found;
}

FirstByte classify_first_bytes(std::string_view bytes)
{
    const auto first = static_cast<unsigned char>(bytes.front());
    if (first == handshake_record)
        return FirstByte::tls;
    if (bytes.starts_with("SSH-")) // RFC 4253 section 4.2
        return FirstByte::unknown;
    return is_alpha(bytes.front()) ? FirstByte::http : FirstByte::unknown;
}

} // namespace aduana::proxy

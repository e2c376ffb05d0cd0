// SPDX-License-Identifier: Apache-2.0
// ClientHellos in every cut and fragmentation, and the ones that could hide a second name.
#include "proxy/core/client_hello.hpp"

#include "tests/support/client_hello_builder.hpp"
#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using namespace std::string_literals;
using test::block;
using test::extension;
using test::hello_message;
using test::hello_with;
using test::HelloParts;
using test::records;
using test::server_name;

HelloState state_of(std::string_view bytes)
{
    return read_client_hello(bytes).state;
}

const std::string alpn = extension(16, block("\x02h2\x08http/1.1", 2));
const std::string usual = extension(0x0a0a, "") + server_name("api.example.com") + alpn + extension(43, "\x02\x03\x04");

TEST(ClientHello, TellsNameAndProtocols)
{
    const auto result = read_client_hello(records(hello_with(usual)));
    ASSERT_EQ(result.state, HelloState::complete);
    EXPECT_EQ(result.hello.server_name, "api.example.com");
    EXPECT_EQ(result.hello.alpn, (std::vector<std::string>{"h2", "http/1.1"}));
    EXPECT_FALSE(result.hello.encrypted_client_hello);
}

TEST(ClientHello, IsReadHoweverItIsCutIntoRecordsAndPieces)
{
    const auto message = hello_with(usual);
    for (const std::size_t size : {3U, 4U, 5U, 7U, 50U, 64U, 1000U}) {
        const auto bytes = records(message, size);
        for (const auto& pieces : test::partitions(bytes)) {
            std::string buffer;
            for (const auto piece : pieces) {
                if (!buffer.empty())
                    ASSERT_EQ(state_of(buffer), HelloState::need_more) << buffer.size() << " of " << bytes.size();
                buffer.append(piece);
            }
            const auto result = read_client_hello(buffer);
            ASSERT_EQ(result.state, HelloState::complete) << "in records of " << size;
            EXPECT_EQ(result.hello.server_name, "api.example.com");
        }
    }
}

TEST(ClientHello, MayHaveNoNameAndNoExtensions)
{
    const auto nameless = read_client_hello(records(hello_with(alpn)));
    ASSERT_EQ(nameless.state, HelloState::complete);
    EXPECT_EQ(nameless.hello.server_name, std::nullopt);
    HelloParts parts;
    parts.has_extensions = false;
    EXPECT_EQ(state_of(records(hello_message(parts))), HelloState::complete);
    EXPECT_EQ(state_of(records(hello_with(""))), HelloState::complete);
}

TEST(ClientHello, TellsThatItsNameIsEncrypted)
{
    const auto result = read_client_hello(records(hello_with(usual + extension(0xfe0d, "\x01"))));
    ASSERT_EQ(result.state, HelloState::complete);
    EXPECT_TRUE(result.hello.encrypted_client_hello);
}

TEST(ClientHello, NameIsReportedAsSent)
{
    const auto result = read_client_hello(records(hello_with(server_name("A\0b.Example.COM."s))));
    ASSERT_EQ(result.state, HelloState::complete);
    EXPECT_EQ(result.hello.server_name, "A\0b.Example.COM."s);
}

TEST(ClientHello, OtherProtocolsAreNotTls)
{
    for (const auto& bytes : {"GET / HTTP/1.1\r\n"s, "SSH-2.0-x"s, "\x80\x2e\x01\x00\x02"s, "\x16\x02\x00"s, "\0"s})
        EXPECT_EQ(state_of(bytes), HelloState::not_tls);
    EXPECT_EQ(state_of(""), HelloState::need_more);
    EXPECT_EQ(state_of("\x16"), HelloState::need_more);
    EXPECT_EQ(state_of("\x16\x03"), HelloState::need_more);
}

TEST(ClientHello, WhatCouldBeReadInTwoWaysIsInvalid)
{
    const std::string two_names = extension(0, block("\0\0\x01"s + "a" + "\0\0\x01"s + "b", 2));
    const std::pair<const char*, std::string> cases[] = {
        {"two names in one list", hello_with(two_names)},
        {"two name extensions", hello_with(server_name("a.test") + server_name("b.test"))},
        {"the same extension twice", hello_with(extension(99, "") + extension(99, ""))},
        {"a name of another type", hello_with(extension(0, block("\x01\0\x01"s + "a", 2)))},
        {"an empty name", hello_with(server_name(""))},
        {"an empty list of names", hello_with(extension(0, block("", 2)))},
        {"bytes behind the list of names", hello_with(extension(0, block("\0\0\x01"s + "a", 2) + "x"))},
        {"a list of names longer than its extension", hello_with(extension(0, "\0\x09\0\0\x01"s + "a"))},
        {"a name longer than its list", hello_with(extension(0, block("\0\0\x09"s + "a", 2)))},
        {"an empty protocol name", hello_with(extension(16, block("\0"s, 2)))},
        {"no protocol names", hello_with(extension(16, block("", 2)))},
        {"bytes behind the protocol names", hello_with(extension(16, block("\x01x", 2) + "y"))},
        {"an extension longer than the list", hello_with("\0\x63\0\x09"s + "x")},
        {"half an extension", hello_with("\0"s)},
    };
    for (const auto& [why, message] : cases)
        EXPECT_EQ(state_of(records(message)), HelloState::invalid) << why;
}

TEST(ClientHello, BadPartsAreInvalid)
{
    const auto with = [](auto change) {
        HelloParts parts;
        parts.extensions = usual;
        change(parts);
        return records(hello_message(parts));
    };
    EXPECT_EQ(state_of(with([](auto&) {})), HelloState::complete);
    EXPECT_EQ(state_of(with([](auto& parts) { parts.version = "\x02\x03"; })), HelloState::invalid);
    EXPECT_EQ(state_of(with([](auto& parts) { parts.session = std::string(33, 's'); })), HelloState::invalid);
    EXPECT_EQ(state_of(with([](auto& parts) { parts.suites = ""; })), HelloState::invalid);
    EXPECT_EQ(state_of(with([](auto& parts) { parts.suites = "abc"; })), HelloState::invalid);
    EXPECT_EQ(state_of(with([](auto& parts) { parts.compression = ""; })), HelloState::invalid);
}

TEST(ClientHello, EveryCutOfItsBodyIsInvalid)
{
    const auto message = hello_with(usual);
    for (std::size_t size = 0; size < message.size() - 4; ++size) {
        const auto cut = "\x01" + block(std::string_view(message).substr(4, size), 3);
        const bool ends_before_extensions = size == 2 + 32 + 33 + 6 + 2;
        EXPECT_EQ(state_of(records(cut)), ends_before_extensions ? HelloState::complete : HelloState::invalid) << size;
    }
}

TEST(ClientHello, AnotherMessageIsInvalid)
{
    auto message = hello_with(usual);
    message.front() = '\x02';
    EXPECT_EQ(state_of(records(message)), HelloState::invalid);
    EXPECT_EQ(state_of("\x16\x03\x01\0\x01\x02"s), HelloState::invalid) << "told by the first byte";
}

TEST(ClientHello, BytesBehindItInItsRecordAreInvalid)
{
    EXPECT_EQ(state_of(records(hello_with(usual) + hello_with(usual))), HelloState::invalid);
    EXPECT_EQ(state_of(records(hello_with(usual) + "x")), HelloState::invalid);
    EXPECT_EQ(state_of(records(hello_with(usual)) + "\x17\x03\x03 early data"), HelloState::complete);
}

TEST(ClientHello, RecordsAreOfOneKindAndBounded)
{
    const auto message = hello_with(usual);
    const auto first = records(message.substr(0, 10));
    EXPECT_EQ(state_of(first + "\x17\x03\x03"), HelloState::invalid);
    EXPECT_EQ(state_of(first + "\x16\x03\x01\0\0"s), HelloState::invalid) << "an empty record";
    EXPECT_EQ(state_of("\x16\x03\x01\x40\x01"), HelloState::invalid) << "a record of 2^14 + 1 bytes";
    EXPECT_EQ(state_of("\x16\x03\x01\x40\x00"s), HelloState::need_more);
    EXPECT_EQ(state_of(records(message, 1)), HelloState::invalid) << "more records than any client makes";
}

TEST(ClientHello, HasABoundedSize)
{
    const auto announced = [](std::size_t size) { return records("\x01" + test::number(size, 3)); };
    EXPECT_EQ(state_of(announced(max_client_hello - 4)), HelloState::need_more);
    EXPECT_EQ(state_of(announced(max_client_hello - 3)), HelloState::invalid);
    const auto large = hello_with(usual + extension(21, std::string(60000, '\0')));
    EXPECT_EQ(state_of(records(large)), HelloState::complete);
}

TEST(FirstByte, TellsTlsFromHttpFromTheRest)
{
    EXPECT_EQ(classify_first_bytes("\x16"), FirstByte::tls);
    for (const std::string_view bytes : {"G", "GET /", "POST", "abz", "S", "SSH", "SSHX / HTTP/1.1", "PRI * HTTP/2.0"})
        EXPECT_EQ(classify_first_bytes(bytes), FirstByte::http) << bytes;
    EXPECT_EQ(classify_first_bytes("SSH-2.0-OpenSSH_9.2p1\r\n"), FirstByte::unknown)
        << "its client waits for the server";
    for (const int byte : {0x00, 0x05, 0x14, 0x15, 0x17, 0x20, 0x40, 0x5b, 0x60, 0x7b, 0x80, 0xff})
        EXPECT_EQ(classify_first_bytes(std::string(1, static_cast<char>(byte))), FirstByte::unknown) << byte;
}

} // namespace
} // namespace aduana::proxy

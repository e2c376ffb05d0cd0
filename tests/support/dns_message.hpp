// SPDX-License-Identifier: Apache-2.0
// Makes DNS queries as bytes and reads replies without the library that is under test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::test {

inline std::string u16(unsigned value)
{
    return {static_cast<char>(value >> 8 & 0xff), static_cast<char>(value & 0xff)};
}

/// "a.test" -> 1 a 4 test 0.
inline std::string dns_name(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const auto label = text.substr(0, text.find('.'));
        out.push_back(static_cast<char>(label.size()));
        out.append(label);
        text.remove_prefix(std::min(text.size(), label.size() + 1));
    }
    out.push_back('\0');
    return out;
}

enum DnsType : unsigned {
    dns_a = 1,
    dns_ns = 2,
    dns_mx = 15,
    dns_txt = 16,
    dns_aaaa = 28,
    dns_https = 65,
    dns_ixfr = 251,
    dns_axfr = 252,
    dns_any = 255
};

struct DnsQuery {
    std::string name = dns_name("a.test");
    unsigned type = dns_a;
    unsigned dns_class = 1;
    unsigned flags = 0x0100; ///< recursion desired
    unsigned questions = 1;
    unsigned answers = 0;
    unsigned additional = 0;
    std::string tail; ///< behind the question

    [[nodiscard]] std::string bytes() const
    {
        return u16(0xbeef) + u16(flags) + u16(questions) + u16(answers) + u16(0) + u16(additional) + name + u16(type) +
               u16(dns_class) + tail;
    }
};

/// An OPT record (RFC 6891 section 6.1.2).
inline std::string opt_record(unsigned udp_size, unsigned version = 0, unsigned flags = 0)
{
    return std::string(1, '\0') + u16(41) + u16(udp_size) + u16(version) + u16(flags) + u16(0);
}

struct DnsReplyParts {
    unsigned id = 0;
    unsigned flags = 0;
    std::vector<unsigned> counts;
    std::string question; ///< name, type and class as bytes

    explicit DnsReplyParts(std::string_view bytes)
    {
        const auto at = [bytes](std::size_t index) {
            return static_cast<unsigned>(static_cast<unsigned char>(bytes.at(index)) << 8 |
                                         static_cast<unsigned char>(bytes.at(index + 1)));
        };
        id = at(0);
        flags = at(2);
        for (std::size_t i = 4; i < 12; i += 2)
            counts.push_back(at(i));
        if (counts[0] == 0)
            return;
        const auto end = bytes.find('\0', 12);
        question = bytes.substr(12, end - 12 + 5);
        answer = bytes.substr(12 + question.size());
    }
    [[nodiscard]] unsigned code() const { return flags & 0x0f; }

    std::string answer; ///< all bytes behind the question
};

} // namespace aduana::test

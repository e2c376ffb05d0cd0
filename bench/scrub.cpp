// SPDX-License-Identifier: Apache-2.0
// How fast bodies are searched for secrets: beside a plain automaton, and beside what memory itself allows.
#include "proxy/core/scrub.hpp"
#include "bench/automaton.hpp"
#include "proxy/core/spellings.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <span>

namespace {

using namespace aduana;

constexpr std::size_t text_bytes = 8 << 20;
constexpr std::size_t piece_bytes = 16 * 1024; // as the relay reads: one TLS record
constexpr int rounds = 7;
constexpr double gibibyte = 1024.0 * 1024 * 1024;

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work)
{
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string random_text(std::mt19937& random, std::size_t size, std::string_view alphabet)
{
    std::string text(size, ' ');
    for (char& c : text)
        c = alphabet[random() % alphabet.size()];
    return text;
}

std::string json(std::mt19937& random)
{
    std::string text;
    while (text.size() < text_bytes) {
        text.append("{\"id\": ")
            .append(std::to_string(random() % 100000))
            .append(", \"state\": \"open\", \"title\": \"");
        text.append(random_text(random, 20 + random() % 40, "etaoin shrdlu cmfwyp")).append("\", \"url\": ");
        text.append("\"https://api.example.com/v1/issues/").append(std::to_string(random() % 100000)).append("\"},\n");
    }
    return text;
}

std::string any_bytes(std::mt19937& random)
{
    std::string text(text_bytes, '\0');
    for (char& c : text)
        c = static_cast<char>(8 + random() % 248); // but the byte that is looked for in vain below
    return text;
}

constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::vector<Secret> tokens(std::mt19937& random, std::size_t count, std::size_t size)
{
    std::vector<Secret> secrets;
    for (std::size_t i = 0; i < count; ++i)
        secrets.push_back(Secret::copy_of("ghp_" + random_text(random, size - 4, base64_alphabet.substr(0, 62))));
    return secrets;
}

std::vector<const Secret*> pointers_to(const std::vector<Secret>& secrets)
{
    std::vector<const Secret*> pointers;
    for (const auto& secret : secrets)
        pointers.push_back(&secret);
    return pointers;
}

void in_pieces(const std::string& text, const std::function<void(std::string_view)>& take)
{
    for (std::size_t at = 0; at < text.size(); at += piece_bytes)
        take(std::string_view(text).substr(at, piece_bytes));
}

struct Way {
    const char* name;
    std::function<void(const std::string&)> work;
    double best = 1e9;
};

std::uint64_t sink = 0;

void copy_all(const std::string& text)
{
    static std::string to(piece_bytes, '\0');
    in_pieces(text, [](std::string_view piece) {
        std::memcpy(to.data(), piece.data(), piece.size());
        sink += static_cast<unsigned char>(to[piece.size() / 2]);
    });
}

/// Looks at every byte and finds none.
void look_at_all(const std::string& text)
{
    in_pieces(text, [](std::string_view piece) {
        constexpr char absent = '\x07';
        sink += std::memchr(piece.data(), absent, piece.size()) != nullptr ? 1U : 0U;
    });
}

void scrub_all(const proxy::ScrubSet& set, const std::string& text)
{
    proxy::Scrubber scrubber(set);
    std::string out;
    in_pieces(text, [&](std::string_view piece) {
        out.clear();
        scrubber.feed(piece, out);
        sink += out.size();
    });
    scrubber.finish(out);
    sink += scrubber.replaced();
}

void walk_all(const bench::Automaton& automaton, const std::string& text)
{
    in_pieces(text, [&](std::string_view piece) {
        sink += automaton.first_match(piece, bench::Automaton::Window::more_follows).start;
    });
}

/// Rounds interleaved: what else runs on the machine hits all of them alike.
void compare(const char* title, const std::string& text, std::vector<Way> ways)
{
    for (int round = 0; round < rounds; ++round) {
        for (auto& way : ways)
            way.best = std::min(way.best, seconds_of([&] { way.work(text); }));
    }
    const auto gib = static_cast<double>(text.size()) / gibibyte;
    const auto& scrub = ways.front();
    std::printf("\n%s\n", title);
    for (const auto& way : ways)
        std::printf("  %-28s %8.2f GiB/s   %8.2f x scrub\n", way.name, gib / way.best, scrub.best / way.best);
}

void compare_searches(std::mt19937& random, std::size_t count, std::size_t size)
{
    const auto secrets = tokens(random, count, size);
    const auto set = proxy::ScrubSet::of(pointers_to(secrets));
    std::vector<std::string> patterns;
    for (const auto& secret : secrets) {
        for (auto& spelling : proxy::spellings_of(secret.reveal()))
            patterns.push_back(std::move(spelling.bytes));
    }
    const bench::Automaton automaton(patterns);
    std::printf("\n%zu secrets of %zu bytes, %zu spellings, pieces of %zu KiB, best of %d rounds\n", count, size,
                patterns.size(), piece_bytes / 1024, rounds);
    const std::vector<Way> ways{{"scrub", [&](const std::string& text) { scrub_all(set, text); }},
                                {"plain automaton", [&](const std::string& text) { walk_all(automaton, text); }},
                                {"memcpy", copy_all},
                                {"memchr", look_at_all}};
    compare("JSON", json(random), ways);
    compare("base64", random_text(random, text_bytes, base64_alphabet), ways);
    compare("random bytes", any_bytes(random), ways);
}

/// What one more secret costs the event loop, and what the first set of many does.
void measure_building(std::mt19937& random)
{
    std::printf("\nbuilding a set\n");
    for (const std::size_t count : {1U, 4U, 8U, 32U}) {
        const auto secrets = tokens(random, count, 44);
        double best = 1e9;
        for (int round = 0; round < rounds; ++round)
            best = std::min(best,
                            seconds_of([&] { sink += proxy::ScrubSet::of(pointers_to(secrets)).empty() ? 0U : 1U; }));
        std::printf("  %2zu secrets %28.2f ms\n", count, best * 1000);
    }
}

} // namespace

int main()
{
    std::mt19937 random(20240229);
    compare_searches(random, 1, 44);
    compare_searches(random, 32, 44);
    compare_searches(random, 32, 16);
    compare_searches(random, 8, 1200);
    measure_building(random);
    return sink == 0 ? 1 : 0;
}

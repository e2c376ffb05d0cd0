// SPDX-License-Identifier: Apache-2.0
// Sealed boxes around a frame of policy/base/wire.
#include "broker/sealed/sealed_secret.hpp"

#include "policy/base/fields.hpp"

#include <sodium.h>

#include <cstdio>
#include <cstdlib>

namespace aduana::broker {
namespace {

constexpr std::uint8_t frame_type = 1;
// What the broker reads of any file.
constexpr std::size_t longest_box = 64 * std::size_t{1024};
constexpr std::size_t longest_plain = longest_box - crypto_box_SEALBYTES;
constexpr std::size_t longest_text = 256;
constexpr std::uint32_t most_entries = 256;
constexpr std::uint64_t unset = 0;
constexpr std::uint64_t latest = 253402300799; // the end of the year 9999

const unsigned char* bytes_of(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text)
{
    return reinterpret_cast<unsigned char*>(text.data());
}

// Without randomness there is no safe way on.
void start_sodium()
{
    if (sodium_init() >= 0)
        return;
    std::fputs("aduana: libsodium cannot be started\n", stderr);
    std::abort();
}

std::uint64_t number_of(const std::optional<std::chrono::seconds>& value)
{
    return value ? static_cast<std::uint64_t>(value->count()) : unset;
}

wire::Writer encode(const SealedSecret& secret)
{
    const auto& [hosts, tasks, not_after, max_ttl] = secret.restrictions;
    wire::Writer out(frame_type, 0);
    out.bytes(secret.name).list(hosts).list(tasks);
    out.u64(not_after ? static_cast<std::uint64_t>(not_after->time_since_epoch().count()) : unset);
    out.u64(number_of(max_ttl)).bytes(secret.value.reveal());
    return out;
}

Result<SealedSecret> decode(std::string_view plain)
{
    wire::Reader reader(plain);
    wire::Fields in(reader, "secret");
    SealedSecret secret;
    secret.name = in.text("name", longest_text);
    secret.restrictions.hosts = in.list("hosts", most_entries, longest_text);
    secret.restrictions.tasks = in.list("tasks", most_entries, longest_text);
    const auto not_after = reader.u64();
    const auto max_ttl = reader.u64();
    secret.value = Secret::copy_of(in.view("value", longest_plain));
    const auto finished = in.finish();
    if (!finished || reader.header().type != frame_type || not_after > latest || max_ttl > latest)
        return Error{"the box holds something else than a secret", "was it made by another version of Aduana?"};
    if (not_after != unset)
        secret.restrictions.not_after = std::chrono::sys_seconds(std::chrono::seconds(not_after));
    if (max_ttl != unset)
        secret.restrictions.max_ttl = std::chrono::seconds(max_ttl);
    return secret;
}

} // namespace

StoreKeys make_store_keys()
{
    start_sodium();
    std::string private_key(crypto_box_SECRETKEYBYTES, '\0');
    std::string public_key(crypto_box_PUBLICKEYBYTES, '\0');
    crypto_box_keypair(bytes_of(public_key), bytes_of(private_key));
    StoreKeys keys{Secret::copy_of(private_key), std::move(public_key)};
    wipe(private_key);
    return keys;
}

Result<StoreKeys> read_store_keys(std::string_view private_key)
{
    start_sodium();
    std::string public_key(crypto_box_PUBLICKEYBYTES, '\0');
    if (private_key.size() != crypto_box_SECRETKEYBYTES ||
        crypto_scalarmult_base(bytes_of(public_key), bytes_of(private_key)) != 0)
        return Error{"the key of the secret store is damaged: it has " + std::to_string(private_key.size()) +
                         " bytes instead of 32",
                     "restore it from a backup; without it no stored secret can be read"};
    return StoreKeys{Secret::copy_of(private_key), std::move(public_key)};
}

Result<std::string> seal(const SealedSecret& secret, std::string_view public_key)
{
    start_sodium();
    const auto frame = encode(secret);
    const auto plain = frame.frame();
    if (plain.empty() || plain.size() > longest_plain)
        return Error{"the secret is longer than 64 KiB", "is this the right file?"};
    std::string box(plain.size() + crypto_box_SEALBYTES, '\0');
    if (public_key.size() != crypto_box_PUBLICKEYBYTES ||
        crypto_box_seal(bytes_of(box), bytes_of(plain), plain.size(), bytes_of(public_key)) != 0)
        return Error{"the public key of the secret store is damaged", "copy it again from where the store is"};
    return box;
}

Result<SealedSecret> unseal(std::string_view box, std::string_view name, const StoreKeys& keys)
{
    start_sodium();
    if (box.size() < crypto_box_SEALBYTES || box.size() > longest_box)
        return Error{"it is no sealed secret", "store it again: aduana secret put " + std::string(name)};
    std::string plain(box.size() - crypto_box_SEALBYTES, '\0');
    const int opened = crypto_box_seal_open(bytes_of(plain), bytes_of(box), box.size(), bytes_of(keys.public_key),
                                            bytes_of(keys.private_key.reveal()));
    auto secret = opened == 0
                      ? decode(plain)
                      : Result<SealedSecret>(Error{"it does not open: it is damaged, or was sealed for another key",
                                                   "store it again: aduana secret put " + std::string(name)});
    wipe(plain);
    if (secret && secret->name != name)
        return Error{"it was stored under another name", "store it again: aduana secret put " + std::string(name)};
    return secret;
}

} // namespace aduana::broker

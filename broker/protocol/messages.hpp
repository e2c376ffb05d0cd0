// SPDX-License-Identifier: Apache-2.0
// What crosses the broker's sockets, as plain structs. One SEQPACKET pair to the program that opens tasks (`control`),
// one to the proxy (`proxy`); which messages each peer may send stands in core/permits.
//
//   control -> broker   TaskOpen (with descriptors) -> TaskOpened | Refused
//                       TaskClose -> TaskClosed
//   proxy   -> broker   Acquire -> Lease | Refused          Release (no reply)
//                       Sign -> Signed | Refused
#pragma once

#include "broker/protocol/edits.hpp"
#include "broker/protocol/lease_parts.hpp"
#include "broker/protocol/refusal.hpp"
#include "broker/protocol/signing.hpp"
#include "policy/base/secret.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace aduana::broker {

enum class MessageType : std::uint8_t {
    task_open = 1,
    task_opened = 2,
    task_close = 3,
    task_closed = 4,
    acquire = 5,
    lease = 6,
    release = 7,
    refused = 8,
    sign = 9,
    signed_request = 10,
};

/// Values of `env:` sources. They travel as the last field of the frame, which is wiped after use.
struct NamedSecret {
    std::string name;
    Secret value;
};

/// The name among `file_sources` of the key that opens sealed boxes: no credential is called that.
inline constexpr std::string_view store_key_source = "/store-key";

/// The proxy that the operator sends everything through, and the credential that opens it: no rule of a policy gets it.
struct ParentProxy {
    std::string host; ///< without brackets
    std::uint16_t port = 0;
    std::string credential; ///< empty: none, and then host and port mean nothing
};

/// The descriptors that come with the datagram, in this order: credentials file, policy (both sealed or read-only, read
/// from offset 0), then one for each entry of `file_sources`.
struct TaskOpen {
    std::string task;
    std::string credentials_file;          ///< name for messages
    std::string policy_file;               ///< name for messages
    std::vector<std::string> file_sources; ///< "CREDENTIAL" or "CREDENTIAL/PART", in the order of their descriptors
    /// Credentials whose refresh token is kept, in the order of their descriptors, which follow those of the sources.
    std::vector<std::string> kept;
    bool ledger = false;           ///< then an empty file to note in what is to be taken back
    std::uint32_t old_ledgers = 0; ///< and so many of earlier tasks; all locked by whoever opens the task
    ParentProxy parent;
    std::vector<NamedSecret> environment; ///< by variable name
};
struct Placeholder {
    std::string variable;
    std::string credential; ///< whose place it takes
    std::string value;
};
struct TaskOpened {
    std::string handle; ///< 16 random bytes that name the task between proxy and broker
    std::vector<Placeholder> placeholders;
};
struct TaskClose {
    std::string handle;
};
struct TaskClosed {
    std::vector<RevokedLease> revoked;
    std::vector<std::string> unrevoked; ///< credentials of which the issuer did not take everything back
    std::vector<std::string> swept{};   ///< credentials of earlier tasks of which something was taken back now
};

/// The broker checks destination, method and path against its own bound: it does not trust the proxy's decision.
/// With the method CONNECT it is for the parent proxy itself: host and port are its own, path and verified name empty.
struct Acquire {
    std::string handle;
    std::string credential;
    std::string host; ///< without brackets
    std::uint16_t port = 0;
    std::string verified_name; ///< the name that the upstream's certificate was verified for: the host
    std::string method;
    std::string path;       ///< as sent, without the query
    std::string rejected{}; ///< the lease whose value the upstream has just answered with 401; empty: none
};
struct Lease {
    std::string id;
    std::string credential;
    std::uint64_t generation = 0;
    std::uint64_t valid_ms = 0;   ///< from now
    std::uint64_t uses_left = 0;  ///< after this one
    bool fresh = false;           ///< issued by this message (lease.issue), not one more use of it
    bool minted = false;          ///< by an issuer, which can be asked for another one
    std::uint64_t dies_ms = 0;    ///< from now, when the issuer stops to take the value; 0: nobody has said
    std::uint64_t settles_ms = 0; ///< for so long a refusal of the upstream may only mean that the value is new
    Signing signing = Signing::none;
    /// A certificate, its issuers and its key, in PEM, for the TLS of the connection; else empty.
    Secret identity;
    std::vector<HeaderField> fields;
    std::vector<Edit> edits;
    bool replaces_foreign = false; ///< a credential of the client's own is left out, and no reason to refuse
    std::vector<Secret> scrub;     ///< values that must not come back: the secret itself, and what is derived from it
    std::vector<Capture> captures{};
};
struct Release {
    std::string handle;
    std::string lease;
};

/// One request to be signed under a lease. Destination, method and path are judged again as for an Acquire.
struct Sign {
    Acquire request;
    std::string lease;
    std::string query;             ///< as sent, without its "?"
    std::vector<SignField> fields; ///< that the signature covers
    std::string payload; ///< digest of the body (64 hexadecimal digits), or a word of AWS's that stands for it
    AwsScopeClaim claim; ///< means nothing for a keyed hash
};
struct Signed {
    std::vector<HeaderField> fields; ///< to be set, replacing all of that name
    Secret query;                    ///< of the query form: the whole query, without its "?"; else empty
    /// For a body that is signed in chunks: the key of this day, region and service, the head's signature, and its time
    /// ("20150830T123600Z").
    Secret chunk_key;
    std::string seed;
    std::string time;
};

using Message =
    std::variant<TaskOpen, TaskOpened, TaskClose, TaskClosed, Acquire, Lease, Release, Refused, Sign, Signed>;

} // namespace aduana::broker

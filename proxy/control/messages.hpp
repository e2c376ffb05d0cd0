// SPDX-License-Identifier: Apache-2.0
// The control API of the proxy: `aduana` opens a task with its listeners and closes it again.
//
//   aduana -> proxy   TaskOpen (descriptors, see there) -> TaskOpened | Failed
//                     Note (no reply): an event of the shim for the journal
//                     TaskStop -> TaskStopped: nothing passes any more
//                     TaskClose -> TaskClosed (stops it too, where that has not been asked for)
//   proxy -> aduana   Refusal (unasked; request id 0): one for each distinct refusal of the task
#pragma once

#include "policy/base/metadata_service.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace aduana::proxy::control {

enum class MessageType : std::uint8_t {
    task_open = 1,
    task_opened = 2,
    note = 3,
    task_close = 4,
    task_closed = 5,
    refusal = 6,
    failed = 7,
    task_stop = 8,
    task_stopped = 9,
};

/// What a listener is for; its kind is all that the proxy knows of a client.
enum class ListenerKind : std::uint8_t {
    proxy = 1,       ///< absolute-form and CONNECT (198.18.0.1:3128)
    transparent = 2, ///< local address = what the client dialled
    redirected = 3,  ///< the same, behind an nftables redirect: SO_ORIGINAL_DST tells what the client dialled
    dns_tcp = 4,
    dns_udp = 5,
    forward = 6, ///< absolute-form and CONNECT at any address: a task without a gateway
};

/// Where all upstreams are reached through; `credential` and `except` may be empty.
struct ParentProxy {
    std::string host; ///< empty: there is none
    std::uint16_t port = 0;
    std::string credential;
    std::vector<std::string> except; ///< as in the operator's file
};

/// What the sandbox was given in place of a credential.
struct Placeholder {
    std::string credential;
    std::string value;
    bool passes_in_head = false; ///< where it is not bound
    bool passes_in_body = true;
};

/// A metadata service of a cloud that the proxy is, for this task, and what it answers.
struct Metadata {
    policy::MetadataService service{};
    std::vector<std::string> values; ///< key id, secret and session token of ecs and imds; one of the others
    std::string region;              ///< empty: not told
    std::string token;               ///< that has to be shown; of gcp and azure empty
};

/// The descriptors that come with the datagram, in this order: policy, journal, journal head, extra CA bundle, broker
/// socket (the proxy's end; only with the first task of a process), then the listeners in the order of `listeners`.
struct TaskOpen {
    std::string task;
    std::string policy_file;   ///< name for messages
    std::string broker_handle; ///< empty: the task has no credentials
    std::vector<ListenerKind> listeners;
    std::string journal_key_seed; ///< 32 bytes, wiped by both sides after use
    std::uint64_t journal_seq = 0;
    std::string journal_hash;
    bool durable_to_power_loss = false;
    bool with_broker = false;                                            ///< a broker socket is among the descriptors
    std::vector<std::pair<std::string, std::vector<std::string>>> hosts; ///< fixed addresses
    std::vector<std::string> nameservers;
    ParentProxy parent;
    std::vector<Placeholder> placeholders; ///< one for each credential that has one
    std::vector<Metadata> metadata;        ///< each service once at most
};
struct TaskOpened {
    std::string ca_certificate; ///< PEM
};
/// limit.hit from the shim.
struct Note {
    std::string task;
    std::string limit;
    std::string detail;
};
/// A lease that ended with the task, for the journal.
struct RevokedLease {
    std::string lease;
    std::string credential;
    std::string why;
};
struct TaskClose {
    std::string task;
    int exit_status = 0;
    std::string cause;
    std::vector<std::string> limits_hit;
    std::vector<RevokedLease> revoked{}; ///< between TaskStop and this the broker has ended the leases
};
struct Destination {
    std::string host;
    std::uint16_t port = 0;
    std::string scheme;
    std::string reason;
    std::uint64_t requests = 0;
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
};
struct TaskClosed {
    std::vector<Destination> reached;
    std::vector<Destination> refused; ///< at most 1000 of each; the journal has them all
    std::vector<std::string> credentials;
    std::uint64_t journal_seq = 0;
    std::string journal_hash;
};
/// Printed by `aduana run` as one line. Printable ASCII only.
struct Refusal {
    std::string task;
    std::string line;
};
struct Failed {
    std::string message;
    std::string remedy;
};

struct TaskStop {
    std::string task;
};
struct TaskStopped {};

using Message = std::variant<TaskOpen, TaskOpened, Note, TaskClose, TaskClosed, Refusal, Failed, TaskStop, TaskStopped>;

} // namespace aduana::proxy::control

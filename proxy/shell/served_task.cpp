// SPDX-License-Identifier: Apache-2.0
// Opening and closing a task.
#include "proxy/shell/served_task.hpp"

#include "certs/digest.hpp"
#include "policy/credential_use.hpp"
#include "policy/load/load.hpp"
#include "proxy/shell/attempt_record.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aduana::proxy {

namespace {

/// From the start of the file, whatever its offset is.
Result<std::string> read_whole(int fd, std::size_t most, const std::string& what)
{
    std::string text;
    constexpr std::size_t step = 64 * 1024;
    for (;;) {
        const auto before = text.size();
        text.resize(before + step);
        const auto got = ::pread(fd, text.data() + before, step, static_cast<off_t>(before));
        if (got < 0 && errno == EINTR) {
            text.resize(before);
            continue;
        }
        if (got < 0)
            return Error{what + ": " + std::strerror(errno)};
        text.resize(before + static_cast<std::size_t>(got));
        if (got == 0)
            return text;
        if (text.size() > most)
            return Error{what + " is larger than " + std::to_string(most) + " bytes"};
    }
}

Error not_an_address(const std::string& host, const std::string& text)
{
    return {"upstream.hosts: " + host + ": " + text + " is not an IP address", {}};
}

Result<NetResolver::Settings> resolver_settings(const control::TaskOpen& request)
{
    NetResolver::Settings settings{{}, request.nameservers};
    for (const auto& [name, addresses] : request.hosts) {
        const auto host = policy::Host::parse(name);
        if (!host)
            return Error{"upstream.hosts: " + host.error().message, host.error().remedy};
        auto& list = settings.hosts[host->text()];
        for (const auto& text : addresses) {
            const auto ip = policy::Ip::parse(text);
            if (!ip)
                return not_an_address(name, text);
            list.push_back(*ip);
        }
    }
    return settings;
}

Result<std::optional<Parent>> parent_of(const control::ParentProxy& request)
{
    if (request.host.empty())
        return std::optional<Parent>();
    auto host = policy::Host::parse(request.host);
    if (!host || request.port == 0)
        return Error{"upstream.parent_proxy: " + request.host + " is no place to dial"};
    Parent parent{std::move(*host), request.port, request.credential, {}};
    for (const auto& text : request.except) {
        auto pattern = policy::HostPattern::parse(text);
        if (!pattern)
            return Error{"upstream.parent_proxy.except: " + pattern.error().message, pattern.error().remedy};
        parent.except.push_back(std::move(*pattern));
    }
    return std::optional(std::move(parent));
}

Placeholders known_placeholders(const control::TaskOpen& request)
{
    std::vector<KnownPlaceholder> known;
    known.reserve(request.placeholders.size());
    const auto verdict = [](bool passes) { return passes ? policy::Unbound::pass : policy::Unbound::refuse; };
    for (const auto& [credential, value, in_head, in_body] : request.placeholders)
        known.push_back({credential, value, verdict(in_head), verdict(in_body)});
    return Placeholders(std::move(known));
}

Metadata metadata_of(const control::TaskOpen& request)
{
    std::vector<MetadataBinding> bindings;
    bindings.reserve(request.metadata.size());
    for (const auto& [service, values, region, token] : request.metadata)
        bindings.push_back({service, values, region, token});
    return Metadata(std::move(bindings));
}

audit::PolicyLoad policy_record(std::string_view text, const policy::TaskPolicy& policy)
{
    return {.policy_sha256 = certs::to_hex(certs::sha256(text)),
            .allow_rules = static_cast<std::uint32_t>(policy.allow().size()),
            .deny_rules = static_cast<std::uint32_t>(policy.deny().size())};
}

} // namespace

ServedTask::ServedTask(const control::TaskOpen& request, Parts parts)
    : executor_(parts.executor), journal_(executor_, std::move(parts.writer), Deadlines{}),
      resolver_(std::move(parts.resolver)), dialer_(std::move(parts.client_tls), Deadlines{}),
      tls_(request.task, std::chrono::system_clock::now()), task_{.name = request.task,
                                                                  .policy_file = request.policy_file,
                                                                  .broker_handle = request.broker_handle,
                                                                  .policy = std::move(parts.policy),
                                                                  .journal = journal_,
                                                                  .resolver = *resolver_,
                                                                  .dialer = dialer_,
                                                                  .credentials = parts.task_credentials,
                                                                  .tls = &tls_,
                                                                  .executor = executor_,
                                                                  .parent = std::move(parts.parent),
                                                                  .parent_credentials = parts.credentials,
                                                                  .placeholders = known_placeholders(request),
                                                                  .metadata = metadata_of(request)},
      dns_(task_), listeners_(executor_), connections_(executor_)
{
    // Nothing runs without its record, not even to its end.
    journal_.on_failure([this] { connections_.close_all(); });
}

Result<std::unique_ptr<ServedTask>> ServedTask::open(const asio::any_io_executor& executor,
                                                     const control::TaskOpen& request, TaskDescriptors descriptors,
                                                     CredentialSource* credentials)
{
    const auto text = read_whole(descriptors.policy.get(), limits::policy_bytes, request.policy_file);
    if (!text)
        return text.error();
    auto policy = policy::load_policy(*text, request.policy_file);
    if (!policy)
        return Error{policy::to_text(policy.error())};
    const auto extra_ca = read_whole(descriptors.extra_ca.get(), limits::ca_bundle_bytes, "upstream.extra_ca");
    if (!extra_ca)
        return extra_ca.error();
    auto client_tls = ClientTls::create(*extra_ca);
    if (!client_tls)
        return client_tls.error();
    auto settings = resolver_settings(request);
    if (!settings)
        return settings.error();
    auto resolver = NetResolver::create(executor, std::move(*settings), Deadlines{});
    if (!resolver)
        return resolver.error();
    auto parent = parent_of(request.parent);
    if (!parent)
        return parent.error();
    auto key = certs::SigningKey::from_seed(request.journal_key_seed);
    if (!key)
        return key.error();

    using Flush = audit::JournalWriter::Flush;
    audit::JournalWriter writer(std::move(descriptors.journal), std::move(descriptors.journal_head), request.task,
                                std::move(*key), {request.journal_seq, request.journal_hash},
                                request.durable_to_power_loss ? Flush::power : Flush::process);
    const auto loaded = policy_record(*text, *policy);
    // With the parent's credential alone the task has none: there is nothing in its answers to search for.
    auto* const source = request.broker_handle.empty() ? nullptr : credentials;
    auto* const of_task = policy::gives_credentials(*policy) ? source : nullptr;
    auto task = std::make_unique<ServedTask>(request, Parts{executor, std::move(*policy), std::move(writer),
                                                            std::move(*resolver), std::move(*client_tls),
                                                            std::move(*parent), source, of_task});
    task->journal_.write(loaded);
    if (!task->journal_.commit())
        return Error{"the journal of task " + request.task + " cannot be written", "make room on its disk"};
    for (std::size_t i = 0; i < request.listeners.size(); ++i)
        task->listen(request.listeners[i], std::move(descriptors.listeners[i]));
    return task;
}

void ServedTask::listen(control::ListenerKind kind, UniqueFd socket)
{
    if (kind == control::ListenerKind::dns_udp) {
        listeners_.spawn(std::make_unique<DnsUdp>(executor_, std::move(socket), dns_));
        return;
    }
    Accepted accepted = [this](asio::ip::tcp::socket client, const Arrival& arrival) {
        accept(std::move(client), arrival);
    };
    if (kind == control::ListenerKind::dns_tcp)
        accepted = [this](asio::ip::tcp::socket client, const Arrival&) {
            if (connections_.size() < limits::connections)
                connections_.spawn(
                    std::make_unique<DnsTcp>(task_, dns_, std::make_unique<PlainStream>(std::move(client))));
        };
    listeners_.spawn(std::make_unique<Listener>(executor_, std::move(socket), kind, std::move(accepted)));
}

void ServedTask::accept(asio::ip::tcp::socket client, const Arrival& arrival)
{
    if (connections_.size() >= limits::connections)
        return refuse_connection(std::move(client), arrival);
    auto stream = std::make_unique<PlainStream>(std::move(client));
    connections_.spawn(std::make_unique<Connection>(task_, std::move(stream), arrival));
}

void ServedTask::refuse_connection(asio::ip::tcp::socket, const Arrival& arrival)
{
    const bool transparent = arrival.port_kind == Arrival::Port::transparent;
    AttemptRecord record(task_, transparent ? WayIn::transparent : WayIn::absolute_form, "unknown");
    if (transparent) {
        const auto* name = task_.names.name_at(arrival.address);
        record.aims_at(name == nullptr ? policy::Host::of(arrival.address) : *name, arrival.port,
                       policy::Scheme::tcp); // nobody has looked what is spoken there
    }
    record.refused({policy::Reason::limit_connections, Party::client,
                    std::to_string(limits::connections) + " connections are open already"});
}

asio::awaitable<void> ServedTask::stop()
{
    if (task_.ending)
        co_return;
    task_.ending = true;
    listeners_.close_all();
    connections_.close_all();
    const bool ended = co_await connections_.emptied(task_.deadlines.shutdown);
    if (!ended)
        diagnostics::warn("connections of a task did not end in time");
    co_await listeners_.emptied(task_.deadlines.shutdown);
    task_.pool.clear();
    co_await task_.pool.emptied(task_.deadlines.shutdown);
}

asio::awaitable<control::TaskClosed> ServedTask::close(const control::TaskClose& request)
{
    co_await stop();
    for (const auto& [lease, credential, why] : request.revoked)
        journal_.write(audit::LeaseRevoke{.lease = lease, .credential = credential, .why = why});
    journal_.write(audit::TaskEnd{.exit_status = request.exit_status,
                                  .cause = request.cause,
                                  .limits_hit = request.limits_hit,
                                  .requests = task_.ledger.requests()});
    journal_.commit();
    co_return control::TaskClosed{.reached = task_.ledger.reached(),
                                  .refused = task_.ledger.refused(),
                                  .credentials = task_.ledger.credentials(),
                                  .journal_seq = journal_.state().seq,
                                  .journal_hash = journal_.state().hash};
}

asio::awaitable<void> ServedTask::emptied(std::chrono::steady_clock::duration limit)
{
    co_await connections_.emptied(limit);
    co_await listeners_.emptied(limit);
}

} // namespace aduana::proxy

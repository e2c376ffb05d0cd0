// SPDX-License-Identifier: Apache-2.0
// Journal, listeners, broker, proxy: in this order, so that whatever fails is on record and nothing listens before its
// judge is there.
#include "cli/border.hpp"

#include "cli/metadata.hpp"
#include "cli/sealed_file.hpp"
#include "cli/secret_sources.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>

namespace aduana::cli {

namespace {

constexpr std::size_t longest_command = 4096;

struct SealedFiles {
    UniqueFd policy;
    UniqueFd extra_ca;
};

Result<SealedFiles> seal_files(const Inputs& inputs)
{
    auto policy = sealed_file("policy", inputs.policy_text);
    if (!policy)
        return policy.error();
    auto extra_ca = sealed_file("extra-ca", inputs.extra_ca);
    if (!extra_ca)
        return extra_ca.error();
    return SealedFiles{std::move(*policy), std::move(*extra_ca)};
}

std::string shell_words(const std::vector<std::string>& command)
{
    std::string text;
    for (const auto& word : command) {
        text += text.empty() ? "" : " ";
        const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`&|;<>()*?[]#~!{}") == std::string::npos;
        if (plain) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word)
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += '\'';
    }
    if (text.size() > longest_command)
        text.resize(longest_command);
    return text;
}

struct OpenJournal {
    audit::NewJournal files;
    certs::SigningKey key;
};

Result<OpenJournal> make_journal(const TaskRequest& request, const certs::SigningKey& installation,
                                 shim::Janitor& janitor)
{
    auto key = certs::SigningKey::generate();
    auto made = audit::create_journal(request.journal_folder, request.task, now_micros(), installation, key,
                                      audit::TaskStart{.policy_sha256 = request.inputs.policy_sha256,
                                                       .command = shell_words(request.command),
                                                       .labels = request.labels,
                                                       .task_key = {},
                                                       .installation_key_id = {},
                                                       .certificate = {}});
    if (!made)
        return made.error();
    const auto kept = janitor.keep_journal(
        {.task = request.task, .file = made->file.get(), .head = made->head.get(), .key_seed = key.seed().reveal()});
    if (!kept)
        return kept.error();
    return OpenJournal{std::move(*made), std::move(key)};
}

struct OpenBroker {
    broker::ControlClient client;
    broker::TaskOpened opened;
    std::string ledger; ///< its file; empty where nothing is noted
};

Result<OpenBroker> open_broker(const TaskRequest& request, UniqueFd control, int policy)
{
    const auto& inputs = request.inputs;
    auto sources =
        open_sources(inputs.credentials, SecretStore(request.folders.secrets()), request.folders, request.task);
    if (!sources)
        return sources.error();
    auto file = sealed_file("credentials", inputs.credentials_text);
    if (!file)
        return file.error();
    broker::ControlClient client(std::move(control));
    broker::TaskOpen open{.task = request.task,
                          .credentials_file = inputs.credentials_file,
                          .policy_file = inputs.policy_file,
                          .file_sources = std::move(sources->names),
                          .kept = std::move(sources->kept),
                          .ledger = sources->ledgers.has_value(),
                          .old_ledgers = 0,
                          .parent = {},
                          .environment = std::move(sources->environment)};
    if (const auto& parent = inputs.settings.parent_proxy; parent && !parent->credential.empty())
        open.parent = {parent->host.text(), parent->port, parent->credential};
    std::vector<int> descriptors{file->get(), policy};
    for (const auto& fd : sources->descriptors)
        descriptors.push_back(fd.get());
    for (const auto& fd : sources->kept_files)
        descriptors.push_back(fd.get());
    std::string ledger;
    if (const auto& ledgers = sources->ledgers) {
        ledger = ledgers->path;
        descriptors.push_back(ledgers->own.get());
        for (const auto& fd : ledgers->old)
            descriptors.push_back(fd.get());
        open.old_ledgers = static_cast<std::uint32_t>(ledgers->old.size());
    }
    auto opened = client.open(open, descriptors);
    if (!opened) {
        remove_ledger(ledger);
        return opened.error();
    }
    return OpenBroker{std::move(client), std::move(*opened), std::move(ledger)};
}

/// What the proxy is given with the task, besides the request.
struct ProxyParts {
    const OpenJournal& journal;
    const SealedFiles& files;
    const shim::Gateway& gateway;
    const OpenBroker* broker;      ///< null without credentials
    const BrokerPost* broker_post; ///< the same
    const std::vector<proxy::control::Metadata>& metadata;
};

/// All variables of a credential hold the same, but for those of an AWS key: its id comes first.
std::vector<proxy::control::Placeholder> known_placeholders(const std::vector<broker::Placeholder>& placeholders,
                                                            const std::vector<policy::CredentialDeclaration>& declared)
{
    using policy::Unbound;
    std::vector<proxy::control::Placeholder> known;
    for (const auto& [variable, credential, value] : placeholders) {
        const auto same = [&](const proxy::control::Placeholder& one) {
            return one.credential == credential && one.value == value;
        };
        if (std::ranges::any_of(known, same))
            continue;
        const auto found = std::ranges::find(declared, credential, &policy::CredentialDeclaration::name);
        const auto unbound = found == declared.end() ? policy::UnboundPlaceholder{} : found->placeholder_unbound;
        known.push_back({credential, value, unbound.in_head == Unbound::pass, unbound.in_body == Unbound::pass});
    }
    return known;
}

proxy::control::TaskOpen task_open(const TaskRequest& request, const ProxyParts& parts)
{
    const auto& settings = request.inputs.settings;
    proxy::control::TaskOpen open;
    open.task = request.task;
    open.policy_file = request.inputs.policy_file;
    open.broker_handle = parts.broker != nullptr ? parts.broker->opened.handle : "";
    for (const auto& listener : parts.gateway.listeners)
        open.listeners.push_back(listener.kind);
    open.journal_key_seed = std::string(parts.journal.key.seed().reveal());
    open.journal_seq = parts.journal.files.state.seq;
    open.journal_hash = parts.journal.files.state.hash;
    open.durable_to_power_loss = settings.durability == policy::Durability::power;
    open.with_broker = parts.broker != nullptr;
    for (const auto& [host, addresses] : settings.hosts) {
        std::vector<std::string> texts;
        for (const auto& address : addresses)
            texts.push_back(address.to_string());
        open.hosts.emplace_back(host, std::move(texts));
    }
    for (const auto& address : settings.nameservers)
        open.nameservers.push_back(address.to_string());
    if (parts.broker != nullptr)
        open.placeholders = known_placeholders(parts.broker->opened.placeholders, request.inputs.credentials);
    open.metadata = parts.metadata;
    if (const auto& parent = settings.parent_proxy) {
        open.parent = {parent->host.text(), parent->port, parent->credential, {}};
        for (const auto& host : parent->except)
            open.parent.except.push_back(host.text());
    }
    return open;
}

/// In the order that `proxy::control::TaskOpen` tells.
std::vector<int> descriptors_of(const ProxyParts& parts)
{
    const auto& journal = parts.journal.files;
    std::vector<int> descriptors{parts.files.policy.get(), journal.file.get(), journal.head.get(),
                                 parts.files.extra_ca.get()};
    if (parts.broker != nullptr)
        descriptors.push_back(parts.broker_post->proxy_end.get());
    for (const auto& listener : parts.gateway.listeners)
        descriptors.push_back(listener.socket.get());
    return descriptors;
}

struct OpenProxy {
    proxy::control::Client client;
    std::string ca_certificate;
};

Result<OpenProxy> open_proxy(const TaskRequest& request, UniqueFd control, const ProxyParts& parts)
{
    proxy::control::Client client(std::move(control));
    auto open = task_open(request, parts);
    auto opened = client.open(open, descriptors_of(parts));
    wipe(open.journal_key_seed);
    if (!opened)
        return opened.error();
    return OpenProxy{std::move(client), std::move(opened->ca_certificate)};
}

Result<Border> open_with_journal(const TaskRequest& request, const OpenJournal& journal, shim::Janitor& janitor,
                                 const OpenGate& open_gate)
{
    const auto files = seal_files(request.inputs);
    if (!files)
        return files.error();
    auto gateway = open_gate();
    if (!gateway)
        return gateway.error();
    auto posts = man_posts(request, journal.files.path, janitor);
    if (!posts)
        return posts.error();
    std::optional<OpenBroker> broker;
    auto& manned = posts->broker;
    if (manned) {
        auto opened = open_broker(request, std::move(manned->control), files->policy.get());
        if (!opened)
            return opened.error();
        broker.emplace(std::move(*opened));
    }
    std::vector<proxy::control::Metadata> metadata;
    if (broker)
        metadata = metadata_services(request.inputs.credentials, broker->opened.placeholders);
    auto proxy =
        open_proxy(request, std::move(posts->proxy_control),
                   {journal, *files, *gateway, broker ? &*broker : nullptr, manned ? &*manned : nullptr, metadata});
    if (!proxy)
        return proxy.error();

    Border border{.journal = journal.files.path,
                  .sandbox_network = std::move(gateway->sandbox_network),
                  .proxy_process = std::move(posts->proxy_process),
                  .proxy = std::move(proxy->client),
                  .broker_process = {},
                  .broker = std::nullopt,
                  .broker_handle = {},
                  .ledger = {},
                  .ca_certificate = std::move(proxy->ca_certificate),
                  .placeholders = {},
                  .shared = std::move(posts->shared)};
    if (broker && manned) {
        border.broker_process = std::move(manned->process);
        border.broker = std::move(broker->client);
        border.broker_handle = broker->opened.handle;
        border.ledger = std::move(broker->ledger);
        for (const auto& placeholder : broker->opened.placeholders)
            border.placeholders.emplace_back(placeholder.variable, placeholder.value);
        std::ranges::move(metadata_variables(metadata), std::back_inserter(border.placeholders));
    }
    return border;
}

} // namespace

audit::Micros now_micros()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

boost::system::result<Border, BorderError> open_border(const TaskRequest& request,
                                                       const certs::SigningKey& installation, shim::Janitor& janitor,
                                                       const OpenGate& open_gate)
{
    const auto journal = make_journal(request, installation, janitor);
    if (!journal)
        return BorderError{journal.error(), {}};
    auto border = open_with_journal(request, *journal, janitor, open_gate);
    if (!border)
        return BorderError{border.error(), journal->files.path};
    return std::move(*border);
}

void throw_exception_from_error(const BorderError& error, const boost::source_location&)
{
    throw std::logic_error(describe(error.error));
}

} // namespace aduana::cli

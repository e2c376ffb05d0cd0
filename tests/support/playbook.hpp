// SPDX-License-Identifier: Apache-2.0
// One client connection against the proxy's exchanges, without a socket: who says what, and what came of it.
#pragma once

#include "policy/load/load.hpp"
#include "proxy/shell/http1_client.hpp"
#include "proxy/shell/task.hpp"
#include "tests/support/fake_ports.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace aduana::test {

/// Requests for api.example.com: on the proxy port, and on an opened connection. `more`: whole field lines.
inline std::string get(const std::string& path = "/", const std::string& more = "")
{
    return "GET http://api.example.com" + path + " HTTP/1.1\r\nHost: api.example.com\r\n" + more + "\r\n";
}
inline std::string origin_form(const std::string& line, const std::string& more = "")
{
    return line + " HTTP/1.1\r\nHost: api.example.com\r\n" + more + "\r\n";
}
inline std::string ok(const std::string& body, const std::string& more = "")
{
    return "HTTP/1.1 200 OK\r\n" + more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class Playbook {
public:
    /// `rules`: the policy file after its first line. The scope is the proxy port until it is set otherwise.
    explicit Playbook(const std::string& rules)
        : client(std::make_shared<Script>(context.get_executor())), task{.name = "t1",
                                                                         .policy_file = "policy.yaml",
                                                                         .broker_handle = "handle",
                                                                         .policy = load("version: 1\n" + rules),
                                                                         .journal = journal,
                                                                         .resolver = resolver,
                                                                         .dialer = dialer,
                                                                         .credentials = with_credentials(rules),
                                                                         .tls = nullptr,
                                                                         .executor = context.get_executor()}
    {
        resolver.answers["api.example.com"] = {policy::Ip::v4({93, 184, 216, 34})};
    }

    /// A connection whose TLS was ended for this host.
    Playbook& inside_tls(std::string_view host)
    {
        scope = {proxy::WayIn::connect, policy::Scheme::https, policy::Host::parse(host).value(), std::nullopt, 443};
        return *this;
    }
    /// Another connection of the same task, beside `client`.
    Script& other_client(const proxy::Scope& its_scope)
    {
        others_.push_back({std::make_shared<Script>(context.get_executor()), its_scope});
        return *others_.back().script;
    }
    /// The next connection that will be dialled.
    Script& upstream()
    {
        dialer.upstreams.push_back(std::make_shared<Script>(context.get_executor()));
        return *dialer.upstreams.back();
    }

    /// Serves requests until the connection is closed. Fails the test if somebody waits for ever.
    Playbook& run()
    {
        std::size_t open = 0;
        const auto start = [this, &open](std::shared_ptr<Script> script, const proxy::Scope& its_scope) {
            ++open;
            asio::co_spawn(context, serve(std::move(script), its_scope), [&open](const std::exception_ptr& error) {
                EXPECT_FALSE(error);
                --open;
            });
        };
        start(client, scope);
        for (const auto& other : others_)
            start(other.script, other.scope);
        while (open != 0 && context.run_one_for(std::chrono::seconds(20)) != 0) {
        }
        EXPECT_EQ(open, 0u) << "somebody still waits; the client has seen: " << client->written;
        EXPECT_TRUE(client->done()) << "the client had more to say";
        for (const auto& other : others_)
            EXPECT_TRUE(other.script->done()) << "another client had more to say";
        for (const auto& script : dialer.upstreams)
            EXPECT_TRUE(script->done()) << "an upstream had more to say";
        return *this;
    }

    [[nodiscard]] const std::string& client_saw() const { return client->written; }
    [[nodiscard]] std::string upstream_saw(std::size_t index = 0) const
    {
        return index < dialer.upstreams.size() ? dialer.upstreams[index]->written : "(never dialled)";
    }
    [[nodiscard]] std::vector<audit::Request> records() const { return journal.all<audit::Request>(); }
    /// The reason of the only record; anything but one record is told in its place.
    [[nodiscard]] std::string only_reason() const
    {
        const auto all = records();
        return all.size() == 1 ? all.front().reason : std::to_string(all.size()) + " records";
    }
    [[nodiscard]] std::size_t starts() const { return journal.all<audit::RequestStart>().size(); }

    asio::io_context context;
    FakeJournal journal;
    FakeResolver resolver;
    FakeDialer dialer;
    FakeCredentialSource credentials;
    std::shared_ptr<Script> client;
    proxy::Task task;
    proxy::Scope scope;

private:
    struct Other {
        std::shared_ptr<Script> script;
        proxy::Scope scope;
    };
    /// As for real tasks: where no rule has a credential there is no broker.
    proxy::CredentialSource* with_credentials(const std::string& rules)
    {
        return rules.find("credential:") == std::string::npos ? nullptr : &credentials;
    }
    static policy::TaskPolicy load(const std::string& text)
    {
        auto loaded = policy::load_policy(text, "policy.yaml");
        if (!loaded)
            throw std::runtime_error(policy::to_text(loaded.error()));
        return std::move(*loaded);
    }
    asio::awaitable<void> serve(std::shared_ptr<Script> script, proxy::Scope its_scope)
    {
        ScriptedStream stream(std::move(script));
        proxy::Link link(context.get_executor(), stream);
        proxy::Incoming incoming(stream);
        co_await proxy::serve_http1(task, link, incoming, its_scope);
    }

    std::vector<Other> others_;
};

} // namespace aduana::test

// SPDX-License-Identifier: Apache-2.0
// A request head that is accepted goes on as a head that is accepted again, with the same destination and length.
#include "proxy/core/body.hpp"
#include "proxy/core/head_parser.hpp"
#include "proxy/core/http1.hpp"
#include "proxy/core/metadata.hpp"
#include "proxy/core/target.hpp"

#include <cstdlib>

namespace {

using namespace aduana::proxy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

/// The placeholder goes to whoever shows what its service asks for, and an answer is one that can be sent.
void check_metadata(const RequestHead& head, Target target)
{
    using aduana::policy::MetadataService;
    static const Metadata metadata({{MetadataService::ecs, {"id", "EGP_ECS", "session"}, "", "ecs-token"},
                                    {MetadataService::imds, {"id", "EGP_IMDS", "session"}, "r", "imds-token"},
                                    {MetadataService::gcp, {"EGP_GCP"}},
                                    {MetadataService::azure, {"EGP_AZURE"}}});
    const auto has = [&head](std::string_view name, std::string_view value) {
        return head.fields.find(name) == value && head.fields.count("X-Forwarded-For") == 0;
    };
    for (const char* address : {"169.254.170.2", "169.254.169.254"}) {
        target.host = aduana::policy::Host::parse(address).value();
        const auto answer = metadata.answer(head, target, {});
        require(answer.head.status >= 200 && answer.head.status < 500);
        const auto holds = [&answer](std::string_view text) { return answer.body.find(text) != std::string::npos; };
        // What a client has asked for comes back as well, but with its quotation marks escaped.
        require(!holds("\"SecretAccessKey\":\"EGP_ECS\"") || has("Authorization", "ecs-token"));
        require(!holds("\"SecretAccessKey\":\"EGP_IMDS\"") || has("X-aws-ec2-metadata-token", "imds-token"));
        require(!holds("\"access_token\":\"EGP_GCP\"") || has("Metadata-Flavor", "Google"));
        require(!holds("\"access_token\":\"EGP_AZURE\"") || has("Metadata", "true"));
    }
}

void check_rewritten(const RequestHead& head, const Target& target)
{
    const auto body = body_of(head);
    const auto rewritten = rewrite_request(head, target, nullptr, Scrubbing::on);
    if (!rewritten)
        return;
    std::string out;
    append_head(out, *rewritten, body);
    require(out.size() <= head_size(*rewritten));
    if (head.fields.size() + 2 > max_fields || out.size() > max_head)
        return; // at the limit already: what the proxy adds does not count for the server
    HeadScanner scanner;
    require(scanner.scan(out) == HeadScanner::State::complete && scanner.head_size() == out.size());
    const auto again = parse_request_head(out);
    require(again.has_value());
    require(again->method == head.method && again->fields.count("Host") == 1);
    const auto body_again = body_of(*again);
    require(body_again.kind == body.kind && body_again.size == body.size);

    Scope scope;
    scope.way_in = WayIn::connect;
    scope.scheme = target.scheme;
    scope.host = target.host;
    scope.port = target.port;
    const auto target_again = read_target(*again, scope);
    require(target_again.has_value());
    require(target_again->path == target.path && target_again->query == target.query);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    HeadScanner scanner;
    if (scanner.scan(bytes) != HeadScanner::State::complete)
        return 0;
    const auto head = parse_request_head(bytes.substr(0, scanner.head_size()));
    if (!head)
        return 0;
    if (head->method == "CONNECT") {
        const auto authority = read_connect(*head);
        require(!authority || authority->port.has_value());
        return 0;
    }
    (void)query_keys(head->target);
    Scope transparent;
    transparent.way_in = WayIn::transparent;
    transparent.dialled = aduana::policy::Ip::v4({192, 0, 2, 7});
    transparent.port = 80;
    for (const auto& scope : {Scope{}, transparent}) {
        const auto target = read_target(*head, scope);
        if (!target)
            continue;
        check_metadata(*head, *target);
        check_rewritten(*head, *target);
    }
    return 0;
}

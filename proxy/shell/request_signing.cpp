// SPDX-License-Identifier: Apache-2.0
// What the client claims goes to the broker as it is; what the broker gives goes into the request.
#include "proxy/shell/request_signing.hpp"

#include "broker/sign/digest.hpp"
#include "proxy/core/aws_chunked.hpp"
#include "proxy/shell/unsound_upload.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

/// The body of a client that signs it in chunks: each is signed anew when it is there whole.
class ChunkSignedBody final : public ClientWithBody {
public:
    ChunkSignedBody(ClientSide& client, AwsChunkedBody chunks) : ClientWithBody(client), chunks_(std::move(chunks)) {}

    [[nodiscard]] BodyLength body() const override { return client().body(); }
    [[nodiscard]] bool body_ended() const override { return client().body_ended(); }
    asio::awaitable<BodyPiece> read_body() override
    {
        for (;;) {
            const auto piece = co_await client().read_body();
            if (!piece.sound())
                co_return piece;
            released_.clear();
            const bool ended = piece.state == BodyPiece::State::ended;
            if (!chunks_.feed(piece.payload, released_) || (ended && !chunks_.complete()))
                co_return BodyPiece{BodyPiece::State::invalid};
            if (ended || !released_.empty())
                co_return BodyPiece{piece.state, released_};
        }
    }

private:
    AwsChunkedBody chunks_;
    std::string released_;
};

std::string_view without_mark(std::string_view query)
{
    return query.starts_with('?') ? query.substr(1) : query;
}

broker::ChunkChain chain_of(const broker::AwsScopeClaim& claim, broker::Signed& answer)
{
    return {{.algorithm = broker::AwsAlgorithm::sigv4,
             .time = answer.time,
             .region = claim.region,
             .service = claim.service},
            std::move(answer.chunk_key),
            answer.seed};
}

} // namespace

asio::awaitable<Outcome<Ok>> RequestSigning::sign(Task& task, Link& link, ClientSide& client, const RequestHead& head,
                                                  const broker::Acquire& wanted, const broker::Lease& lease,
                                                  OutgoingRequest& request)
{
    broker::Sign sign;
    sign.request = wanted;
    sign.lease = lease.id;
    if (lease.signing == broker::Signing::aws) {
        auto done = co_await sign_for_aws(task, link, client, head, std::move(sign), request);
        co_return done;
    }
    auto done = co_await sign_by_hash(task, link, client, lease.signing, std::move(sign), request);
    co_return done;
}

asio::awaitable<Outcome<Ok>> RequestSigning::sign_for_aws(Task& task, Link& link, ClientSide& client,
                                                          const RequestHead& head, broker::Sign sign,
                                                          OutgoingRequest& request)
{
    const auto claim = read_aws_claim(head.fields, request.query);
    if (!claim)
        co_return claim.error();
    const auto payload = payload_of(*claim);
    if (!payload)
        co_return payload.error();
    strip_aws_fields(request);
    plain_query_ = without_aws_parameters(request.query);
    request.query = plain_query_;
    sign.query = without_mark(plain_query_);
    sign.fields = covered_fields(request, *claim);
    sign.claim = claim->scope;
    sign.payload = claim->payload;
    if (*payload == AwsPayload::to_be_hashed) {
        auto digest = co_await hold(link, client, task.deadlines, request);
        if (!digest)
            co_return digest.error();
        sign.payload = std::move(*digest);
    }
    auto answered = co_await ask(task, sign, request);
    if (!answered)
        co_return answered;
    if (*payload == AwsPayload::chunks || *payload == AwsPayload::chunks_and_trailer) {
        const auto trailer =
            *payload == AwsPayload::chunks ? AwsChunkedBody::Trailer::none : AwsChunkedBody::Trailer::is_signed;
        client_ = std::make_unique<ChunkSignedBody>(client, AwsChunkedBody(trailer, chain_of(sign.claim, signed_)));
    }
    co_return Ok{};
}

asio::awaitable<Outcome<Ok>> RequestSigning::sign_by_hash(Task& task, Link& link, ClientSide& client,
                                                          broker::Signing kind, broker::Sign sign,
                                                          OutgoingRequest& request)
{
    sign.query = without_mark(request.query);
    if (kind == broker::Signing::keyed_hash_of_body) {
        auto digest = co_await hold(link, client, task.deadlines, request);
        if (!digest)
            co_return digest.error();
        sign.payload = std::move(*digest);
    }
    auto answered = co_await ask(task, sign, request);
    co_return answered;
}

asio::awaitable<Outcome<std::string>> RequestSigning::hold(Link& link, ClientSide& client, const Deadlines& deadlines,
                                                           OutgoingRequest& request)
{
    const auto waits = std::erase_if(request.fields, [](const auto& field) { return same_name(field.name, "Expect"); });
    if (waits != 0) {
        OutgoingResponse go_on;
        go_on.status = 100;
        go_on.reason_phrase = "Continue";
        const auto error = co_await client.write_interim(go_on);
        if (error)
            co_return Failure{Reason::framing_invalid, Party::client, "the client closed before its request body"};
    }
    std::string body;
    for (bool ended = client.body_ended(); !ended;) {
        link.watchdog().arm(deadlines.idle);
        const auto piece = co_await client.read_body();
        if (!piece.sound())
            co_return unsound_upload(link, piece.state);
        if (body.size() + piece.payload.size() > max_held_body)
            co_return Failure{Reason::limit_upload, Party::self,
                              "the request body has to be hashed before it is signed, and has more than 1 MiB"};
        body.append(piece.payload);
        ended = piece.state == BodyPiece::State::ended;
    }
    auto digest = broker::sha256_hex(body);
    if (!body.empty())
        client_ = std::make_unique<HeldBody>(client, std::move(body));
    co_return digest;
}

asio::awaitable<Outcome<Ok>> RequestSigning::ask(Task& task, const broker::Sign& sign, OutgoingRequest& request)
{
    auto answer = co_await task.credentials->sign(sign);
    if (!answer)
        co_return answer.error();
    signed_ = std::move(*answer);
    auto set = set_fields(request, signed_.fields);
    if (!set)
        co_return set;
    if (!signed_.query.empty()) {
        auto query = std::string("?").append(signed_.query.reveal());
        signed_query_ = Secret::copy_of(query);
        wipe(query);
        request.query = signed_query_.reveal();
        request.target_injected = true;
    }
    co_return Ok{};
}

} // namespace aduana::proxy

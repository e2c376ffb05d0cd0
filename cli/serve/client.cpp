// SPDX-License-Identifier: Apache-2.0
// Questions to `aduana serve`, and what its answers mean.
#include "cli/serve/client.hpp"

#include "cli/serve/codec.hpp"

namespace aduana::serve {

namespace {

constexpr std::string_view peer = "aduana serve";
constexpr std::string_view too_long = "give a shorter --task";

} // namespace

Client::Client(UniqueFd socket, std::chrono::milliseconds deadline) : dialogue_(std::move(socket), peer, deadline) {}

Result<Session> Client::open(const Open& request)
{
    std::vector<UniqueFd> ends;
    const auto opened = ask<Opened>(request, ends);
    if (!opened)
        return opened.error();
    if (ends.size() != opened_descriptors)
        return dialogue_.unexpected("Opened and " + std::to_string(ends.size()) + " descriptors");
    return Session{std::move(ends[0]), std::move(ends[1]), std::move(ends[2]), std::move(ends[3])};
}

Result<Tasks> Client::list()
{
    std::vector<UniqueFd> none;
    return ask<Tasks>(List{}, none);
}

Result<std::string> Client::journal_of(const std::string& task)
{
    std::vector<UniqueFd> none;
    auto located = ask<Located>(Locate{task}, none);
    if (!located)
        return located.error();
    return std::move(located->journal);
}

Result<Ok> Client::detach(const std::string& task)
{
    std::vector<UniqueFd> none;
    const auto detached = ask<Detached>(Detach{task}, none);
    return detached ? Result<Ok>(Ok{}) : detached.error();
}

Ended Client::ended()
{
    const auto datagram = dialogue_.hear();
    if (datagram)
        if (auto decoded = decode(datagram->bytes))
            if (auto* told = std::get_if<Ended>(&decoded->message))
                return std::move(*told);
    return {"aduana serve ended; without its proxy there is no way out", "proxy-died"};
}

template <class T>
Result<T> Client::ask(const Message& request, std::vector<UniqueFd>& descriptors)
{
    auto reply = dialogue_.ask(encode(request, dialogue_.next_request()), {}, too_long, {});
    if (!reply)
        return reply.error();
    auto decoded = decode(reply->bytes);
    if (!decoded)
        return dialogue_.bad_frame(decoded.error());
    descriptors = std::move(reply->descriptors);
    if (auto* wanted = std::get_if<T>(&decoded->message))
        return std::move(*wanted);
    if (const auto* failed = std::get_if<Failed>(&decoded->message))
        return Error{failed->message, failed->remedy};
    return dialogue_.unexpected(name_of(type_of(decoded->message)));
}

} // namespace aduana::serve

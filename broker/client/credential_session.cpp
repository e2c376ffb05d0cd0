// SPDX-License-Identifier: Apache-2.0
// Request ids count up from 1; only an id that was given out may come back.
#include "broker/client/credential_session.hpp"

#include "broker/protocol/codec.hpp"

namespace aduana::broker {

std::pair<std::uint64_t, wire::Writer> CredentialSession::acquire(const Acquire& request)
{
    const auto id = next_request_++;
    return {id, encode(Message(request), id)};
}

std::pair<std::uint64_t, wire::Writer> CredentialSession::sign(const Sign& request)
{
    const auto id = next_request_++;
    return {id, encode(Message(request), id)};
}

wire::Writer CredentialSession::release(const Release& request)
{
    return encode(Message(request), next_request_++);
}

Result<std::pair<std::uint64_t, CredentialSession::Answer>> CredentialSession::on_datagram(std::string_view datagram)
{
    using Answered = std::pair<std::uint64_t, Answer>;
    auto decoded = decode(datagram);
    if (!decoded)
        return Error{"aduana-broker sent a bad frame: " + decoded.error().message};
    if (decoded->request == 0 || decoded->request >= next_request_)
        return Error{"aduana-broker answered a request that was never sent"};
    if (auto* lease = std::get_if<Lease>(&decoded->message))
        return Answered(decoded->request, std::move(*lease));
    if (auto* answer = std::get_if<Signed>(&decoded->message))
        return Answered(decoded->request, std::move(*answer));
    if (auto* refused = std::get_if<Refused>(&decoded->message))
        return Answered(decoded->request, std::move(*refused));
    return Error{"aduana-broker answered with " + std::string(name_of(type_of(decoded->message)))};
}

} // namespace aduana::broker

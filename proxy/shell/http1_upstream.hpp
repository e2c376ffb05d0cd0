// SPDX-License-Identifier: Apache-2.0
// A server that speaks HTTP/1.1: one exchange on a connection of the task's pool.
#pragma once

#include "proxy/shell/body_sink.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/sides.hpp"
#include "proxy/shell/upstreams.hpp"

#include <memory>

namespace aduana::proxy {

/// Was it idle before? Then the server may have closed it meanwhile.
enum class ConnectionUse : std::uint8_t { fresh, reused };

class Http1Upstream final : public UpstreamSide {
public:
    /// `pool`, `link` and `deadlines` outlive this.
    Http1Upstream(UpstreamPool& pool, UpstreamKey key, Dialled connection, ConnectionUse use, Link& link,
                  const Deadlines& deadlines);

    [[nodiscard]] policy::Ip address() const override { return connection_.address; }
    [[nodiscard]] std::string_view tls_version() const override { return connection_.tls_version; }
    [[nodiscard]] bool identified() const override { return connection_.identified; }
    asio::awaitable<error_code> send_head(const OutgoingRequest& head, BodyLength body) override;
    asio::awaitable<error_code> write(std::string_view payload) override;
    asio::awaitable<error_code> write_last(std::string_view payload) override;
    asio::awaitable<Outcome<ResponseHead>> read_head() override;
    Incoming& frames() override { return incoming_; }
    [[nodiscard]] BodyLength body() const override { return length_; }
    asio::awaitable<BodyPiece> read_body() override;
    [[nodiscard]] bool has_body_bytes() const override { return !incoming_.rest().empty(); }
    [[nodiscard]] const FieldBuffer& trailers() const override;
    [[nodiscard]] Unseen unseen() const override;
    void finish() override;
    void close() override { connection_.stream->close(); }

private:
    [[nodiscard]] Failure failure_of(Incoming::HeadState state) const;

    UpstreamPool& pool_;
    UpstreamKey key_;
    Dialled connection_;
    ConnectionUse use_;
    Link& link_;
    const Deadlines& deadlines_;
    Incoming incoming_;
    std::unique_ptr<BodySink> sink_;     ///< once the head was sent
    std::unique_ptr<IncomingBody> body_; ///< once the final head was read
    std::string method_;
    Switching switching_ = Switching::refused;
    BodyLength length_;
    bool answered_ = false;   ///< by an interim response at least
    bool unanswered_ = false; ///< closed before the first byte of any response
    bool stale_ = false;      ///< it was not quiet any more when it was to be used: nothing was sent
    bool upload_ended_ = false;
    bool keep_ = false; ///< as the response head says
};

} // namespace aduana::proxy

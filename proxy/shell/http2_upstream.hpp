// SPDX-License-Identifier: Apache-2.0
// A server that speaks HTTP/2: one exchange on one stream of a connection that the task's exchanges share.
#pragma once

#include "proxy/core/http2_message.hpp"
#include "proxy/shell/http2_stream.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/upstreams.hpp"

namespace aduana::proxy {

class Http2Upstream final : public UpstreamSide {
public:
    enum class Connection : std::uint8_t { fresh, shared };
    /// `link` outlives this. `server` can open a stream.
    Http2Upstream(const asio::any_io_executor& executor, Http2Server server, Connection connection, Link& link);

    [[nodiscard]] policy::Ip address() const override { return server_.address; }
    [[nodiscard]] std::string_view tls_version() const override { return server_.tls_version; }
    [[nodiscard]] bool identified() const override { return server_.identified; }
    asio::awaitable<error_code> send_head(const OutgoingRequest& head, BodyLength body) override;
    asio::awaitable<error_code> write(std::string_view payload) override;
    asio::awaitable<error_code> write_last(std::string_view payload) override;
    asio::awaitable<Outcome<ResponseHead>> read_head() override;
    Incoming& frames() override;
    [[nodiscard]] BodyLength body() const override { return length_; }
    asio::awaitable<BodyPiece> read_body() override;
    [[nodiscard]] bool has_body_bytes() const override { return stream_->has_body_bytes() || stream_->message_read(); }
    [[nodiscard]] const FieldBuffer& trailers() const override { return stream_->trailers(); }
    [[nodiscard]] Unseen unseen() const override;
    void finish() override {}
    void close() override;

private:
    [[nodiscard]] Failure failure() const;

    asio::any_io_executor executor_;
    Http2Server server_;
    Connection connection_;
    Link& link_;
    std::unique_ptr<Http2Stream> stream_; ///< once the head was sent
    std::unique_ptr<Http2Head> head_;
    std::string method_;
    BodyLength length_;
    bool answered_ = false;
    bool body_sent_ = false;
};

} // namespace aduana::proxy

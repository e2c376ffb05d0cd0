// SPDX-License-Identifier: Apache-2.0
// The part of an exchange that answers in the place of a metadata service: there is no upstream.
#include "proxy/shell/exchange.hpp"

namespace aduana::proxy {

asio::awaitable<void> Exchange::answer_metadata(AttemptRecord& record, const RequestHead& head, const Target& target)
{
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto answer = task_.metadata.answer(head, target, now);
    const bool head_only = head.method == "HEAD";
    const auto body = head_only ? std::string_view() : std::string_view(answer.body);
    record.fields().status = answer.head.status;
    record.fields().bytes_down = body.size();
    record.answered();
    record.write();
    link_.watchdog().arm(task_.deadlines.head);
    client_.begin(answer.head, {BodyLength::Kind::counted, answer.body.size()},
                  head_only ? Follows::nothing : Follows::body);
    const auto error = co_await client_.write_last(body, {});
    if (error)
        client_.close();
    else
        co_await client_.finish();
}

} // namespace aduana::proxy

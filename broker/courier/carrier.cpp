// SPDX-License-Identifier: Apache-2.0
// libcurl's multi interface, with memory that is wiped when it is freed.
#include "broker/courier/carrier.hpp"

#include "broker/courier/transfer.hpp"
#include "broker/courier/wiping_memory.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

constexpr long most_connections = 64;

} // namespace

class Carrier::Multi {
public:
    Multi()
    {
        curl_global_init_mem(CURL_GLOBAL_DEFAULT, wiping_malloc, wiping_free, wiping_realloc, wiping_strdup,
                             wiping_calloc);
        handle_ = curl_multi_init();
        curl_multi_setopt(handle_, CURLMOPT_MAX_TOTAL_CONNECTIONS, most_connections);
    }
    Multi(const Multi&) = delete;
    Multi& operator=(const Multi&) = delete;
    ~Multi()
    {
        curl_multi_cleanup(handle_);
        curl_global_cleanup();
    }
    [[nodiscard]] CURLM* handle() const noexcept { return handle_; }

private:
    CURLM* handle_ = nullptr;
};

Carrier::Carrier(CourierSettings settings) : settings_(std::move(settings)), multi_(std::make_unique<Multi>()) {}

Carrier::~Carrier()
{
    for (const auto& transfer : transfers_)
        curl_multi_remove_handle(multi_->handle(), transfer->handle());
}

void Carrier::begin(ErrandFrame errand, UniqueFd file)
{
    auto transfer = std::make_unique<Transfer>(std::move(errand), std::move(file), settings_);
    if (transfer->setup() != CURLE_OK || curl_multi_add_handle(multi_->handle(), transfer->handle()) != CURLM_OK) {
        const auto why = transfer->setup() != CURLE_OK ? transfer->setup() : CURLE_OUT_OF_MEMORY;
        done_.push_back(transfer->end(why));
        return;
    }
    transfers_.push_back(std::move(transfer));
}

void Carrier::wait(int socket, short events, std::chrono::milliseconds patience)
{
    curl_waitfd peer{socket, events, 0};
    int running = 0;
    curl_multi_poll(multi_->handle(), &peer, socket < 0 ? 0 : 1, static_cast<int>(patience.count()), nullptr);
    curl_multi_perform(multi_->handle(), &running);
    int left = 0;
    while (const auto* message = curl_multi_info_read(multi_->handle(), &left)) {
        if (message->msg != CURLMSG_DONE)
            continue;
        const auto result = message->data.result;
        const auto ended = std::ranges::find(transfers_, message->easy_handle, &Transfer::handle);
        curl_multi_remove_handle(multi_->handle(), message->easy_handle);
        if (ended == transfers_.end())
            continue;
        done_.push_back((*ended)->end(result));
        transfers_.erase(ended);
    }
}

std::vector<Brought> Carrier::take_done()
{
    return std::exchange(done_, {});
}

bool Carrier::is_keeping() const
{
    return std::ranges::any_of(transfers_, [](const auto& transfer) { return transfer->is_keeping(); });
}

} // namespace aduana::broker

// SPDX-License-Identifier: Apache-2.0
// One call as libcurl is told it, and what it has brought so far.
#pragma once

#include "broker/courier/carrier.hpp"

#include <curl/curl.h>

namespace aduana::broker {

class Carrier::Transfer {
public:
    /// `settings` outlives this.
    Transfer(ErrandFrame errand, UniqueFd file, const CourierSettings& settings);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer();

    [[nodiscard]] CURL* handle() const noexcept { return handle_.get(); }
    /// Why it could not even be set up; CURLE_OK if it could.
    [[nodiscard]] CURLcode setup() const noexcept { return setup_; }
    [[nodiscard]] bool is_keeping() const noexcept { return errand_.keep.has_value(); }
    [[nodiscard]] Brought end(CURLcode result);

private:
    struct EndHandle {
        void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
    };
    struct EndList {
        void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
    };
    using List = std::unique_ptr<curl_slist, EndList>;

    template <class Value>
    void set(CURLoption option, Value value);
    void set_blob(CURLoption option, std::string_view bytes);
    static void append(List& list, const std::string& entry);

    void set_rules();
    void set_request();
    void set_way();
    void set_trust();

    static std::size_t take_field(const char* bytes, std::size_t size, std::size_t count, void* self);
    static std::size_t take_body(const char* bytes, std::size_t size, std::size_t count, void* self);
    static CURLcode require_name(CURL* handle, void* context, void* self);
    static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

    ErrandFrame errand_;
    UniqueFd file_;
    const CourierSettings& settings_;
    bool through_parent_ = false;
    std::unique_ptr<CURL, EndHandle> handle_;
    List fields_;
    List fixed_;
    CURLcode setup_ = CURLE_OK;
    std::string body_;
    std::vector<AnswerField> answer_fields_;
    std::string refusal_; ///< what we ended it for ourselves
};

} // namespace aduana::broker

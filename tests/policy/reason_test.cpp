// SPDX-License-Identifier: Apache-2.0
// The table of reasons: codes and statuses are a contract with everybody who reads records and refusals.
#include "policy/reason.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace aduana::policy {
namespace {

TEST(Reason, HasTheseCodesAndStatuses)
{
    struct Row {
        Reason reason;
        std::string_view code;
        int status;
    };
    const std::vector<Row> rows{
        {Reason::allowed, "allowed", 200},
        {Reason::metadata_answered, "metadata-answered", 200},
        {Reason::no_rule, "no-rule", 403},
        {Reason::denied_by_rule, "denied-by-rule", 403},
        {Reason::closed_by_preset, "closed-by-preset", 403},
        {Reason::method_not_allowed, "method-not-allowed", 403},
        {Reason::path_not_allowed, "path-not-allowed", 403},
        {Reason::path_ambiguous, "path-ambiguous", 403},
        {Reason::websocket_not_allowed, "websocket-not-allowed", 403},
        {Reason::override_refused, "override-refused", 403},
        {Reason::port_not_allowed, "port-not-allowed", 403},
        {Reason::scheme_not_allowed, "scheme-not-allowed", 403},
        {Reason::address_private, "address-private", 403},
        {Reason::address_metadata, "address-metadata", 403},
        {Reason::name_mismatch, "name-mismatch", 421},
        {Reason::sni_missing, "sni-missing", 403},
        {Reason::tls_unverified, "tls-unverified", 502},
        {Reason::tls_pinned, "tls-pinned", 403},
        {Reason::protocol_unknown, "protocol-unknown", 403},
        {Reason::upgrade_refused, "upgrade-refused", 403},
        {Reason::framing_invalid, "framing-invalid", 400},
        {Reason::head_too_large, "head-too-large", 431},
        {Reason::request_timeout, "request-timeout", 408},
        {Reason::limit_requests, "limit-requests", 429},
        {Reason::limit_upload, "limit-upload", 413},
        {Reason::limit_download, "limit-download", 403},
        {Reason::limit_connections, "limit-connections", 429},
        {Reason::limit_duration, "limit-duration", 504},
        {Reason::credential_unavailable, "credential-unavailable", 503},
        {Reason::credential_insecure, "credential-insecure", 403},
        {Reason::credential_misplaced, "credential-misplaced", 422},
        {Reason::credential_foreign, "credential-foreign", 403},
        {Reason::placeholder_unbound, "placeholder-unbound", 403},
        {Reason::placeholder_foreign, "placeholder-foreign", 403},
        {Reason::response_unscrubbable, "response-unscrubbable", 502},
        {Reason::response_uncapturable, "response-uncapturable", 502},
        {Reason::name_unresolved, "name-unresolved", 502},
        {Reason::upstream_unreachable, "upstream-unreachable", 502},
        {Reason::upstream_timeout, "upstream-timeout", 504},
        {Reason::upstream_invalid, "upstream-invalid", 502},
        {Reason::parent_refused, "parent-refused", 502},
        {Reason::journal_unavailable, "journal-unavailable", 503},
        {Reason::task_ended, "task-ended", 503},
        {Reason::internal, "internal", 500},
    };
    ASSERT_EQ(all_reasons().size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        SCOPED_TRACE(rows[i].code);
        EXPECT_EQ(all_reasons()[i].reason, rows[i].reason);
        EXPECT_EQ(code_of(rows[i].reason), rows[i].code);
        EXPECT_EQ(text_of(rows[i].reason).status, rows[i].status);
        EXPECT_EQ(reason_of(rows[i].code), rows[i].reason);
    }
}

TEST(Reason, IsUnknownForOtherCodes)
{
    for (const std::string_view code : {"", "No-Rule", "no_rule", "no-rule ", "nothing"})
        EXPECT_EQ(reason_of(code), std::nullopt) << code;
}

TEST(Reason, SpeaksInWholePrintableSentences)
{
    std::set<std::string_view> codes;
    for (const ReasonText& text : all_reasons()) {
        SCOPED_TRACE(text.code);
        EXPECT_TRUE(codes.insert(text.code).second) << "a code of its own";
        EXPECT_FALSE(text.title.empty());
        EXPECT_FALSE(text.title.ends_with('.'));
        EXPECT_TRUE(text.sentence.ends_with('.'));
        EXPECT_TRUE(text.reason == Reason::allowed || text.remedy.ends_with('.'));
        // They go into HTTP fields and JSON strings as they are.
        for (const std::string_view part : {text.code, text.title, text.sentence, text.remedy})
            for (const char c : part)
                EXPECT_TRUE(c >= 0x20 && c < 0x7f && c != '"' && c != '\\') << part;
    }
}

} // namespace
} // namespace aduana::policy

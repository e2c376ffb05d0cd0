// SPDX-License-Identifier: Apache-2.0
// `aduana audit verify`: proves with the public key alone that no line was changed, removed or put elsewhere.
#include "audit/verify.hpp"
#include "cli/installation.hpp"
#include "cli/journals.hpp"
#include "cli/options.hpp"
#include "cli/say.hpp"

#include <iostream>

namespace aduana::cli {

namespace {

constexpr std::size_t max_small_file = 64 * 1024;

Result<certs::VerifyingKey> public_key(const AuditOptions& options)
{
    const std::string path = options.public_key.empty() ? folders().public_key() : options.public_key;
    const auto pem = read_file(path, max_small_file);
    if (!pem)
        return Error{pem.error().message, "give --public-key FILE"};
    auto key = certs::VerifyingKey::from_pem(*pem);
    if (!key)
        return Error{path + ": " + key.error().message, key.error().remedy};
    return key;
}

Result<audit::Verification> verify(const JournalFile& journal, const certs::VerifyingKey& key)
{
    // The head first: a line that is written in between is then one too many, not one that is missing. A missing head
    // is no error of reading: the verifier calls it damage.
    const auto head = read_file(journal.head, max_small_file);
    const auto lines = read_file(journal.path, max_journal);
    if (!lines)
        return lines.error();
    return audit::verify_journal(*lines, head ? std::string_view(*head) : std::string_view{}, key);
}

const char* word_for(audit::Soundness soundness)
{
    switch (soundness) {
    case audit::Soundness::sound:
        return "sound";
    case audit::Soundness::unsealed:
        return "unsealed";
    case audit::Soundness::damaged:
        return "DAMAGED";
    }
    return "DAMAGED";
}

} // namespace

int audit_verify(const AuditOptions& options)
{
    const auto journals = journals_of(options);
    if (!journals) {
        say(journals.error());
        return exit_no;
    }
    const auto key = public_key(options);
    if (!key) {
        say(key.error());
        return exit_no;
    }
    int status = exit_yes;
    for (const auto& journal : *journals) {
        const auto result = verify(journal, *key);
        if (!result) {
            say(result.error());
            status = exit_no;
            continue;
        }
        std::cout << word_for(result->soundness) << "  " << sanitised(journal.path, Newlines::replace) << "  "
                  << result->message << '\n';
        if (result->soundness == audit::Soundness::damaged)
            status = exit_no;
    }
    return status;
}

} // namespace aduana::cli

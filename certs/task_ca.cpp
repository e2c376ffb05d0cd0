// SPDX-License-Identifier: Apache-2.0
// The certificate authority of one task: a P-256 key that never leaves the process, and leaves minted on demand.
#include "certs/task_ca.hpp"

#include "certs/openssl_check.hpp"
#include "certs/pem.hpp"
#include "certs/x509_build.hpp"

#include <algorithm>

namespace aduana::certs {
namespace {

// RFC 5280 appendix A.1, ub-common-name.
constexpr std::size_t max_common_name = 64;

/// Printable ASCII only, so that a certificate viewer shows what is there.
std::string common_name(std::string_view text)
{
    std::string name(text.substr(0, max_common_name));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return name;
}

} // namespace

struct TaskCa::State {
    PkeyPtr ca_key;
    PkeyPtr leaf_key;
    X509Ptr certificate;
    X509Ptr leaf_template; ///< everything that all leaves share
};

TaskCa::TaskCa(std::unique_ptr<State> state) : state_(std::move(state)) {}
TaskCa::TaskCa(TaskCa&&) noexcept = default;
TaskCa& TaskCa::operator=(TaskCa&&) noexcept = default;
TaskCa::~TaskCa() = default;

TaskCa TaskCa::create(std::string_view task, TimePoint now)
{
    auto state = std::make_unique<State>();
    state->ca_key = new_p256_key();
    state->leaf_key = new_p256_key();

    state->certificate = new_certificate(state->ca_key.get());
    X509* const ca = state->certificate.get();
    X509_NAME* const subject = X509_get_subject_name(ca);
    add_name_part(subject, "O", "Aduana");
    add_name_part(subject, "CN", common_name("Aduana task " + std::string(task)));
    must(X509_set_issuer_name(ca, subject) == 1, "set an issuer");
    set_random_serial(ca);
    set_validity(ca, now - back_dating, now + ca_validity);
    const std::string identifier = key_identifier(ca);
    add_ca_constraints(ca);
    add_subject_key_identifier(ca, identifier);
    add_authority_key_identifier(ca, identifier);
    sign_with(ca, state->ca_key.get());

    state->leaf_template = new_certificate(state->leaf_key.get());
    X509* const leaf = state->leaf_template.get();
    must(X509_set_issuer_name(leaf, subject) == 1, "set an issuer");
    set_validity(leaf, now, now);
    add_leaf_constraints(leaf);
    add_authority_key_identifier(leaf, identifier);
    // Only what is signed can be copied; without a name it is of no use to anybody.
    sign_with(leaf, state->ca_key.get());
    return TaskCa(std::move(state));
}

std::string TaskCa::certificate_pem() const
{
    return to_pem(state_->certificate.get());
}

X509* TaskCa::certificate() const noexcept
{
    return state_->certificate.get();
}

EVP_PKEY* TaskCa::leaf_key() const noexcept
{
    return state_->leaf_key.get();
}

X509Ptr TaskCa::mint(const policy::Host& host, TimePoint now) const
{
    X509Ptr leaf(X509_dup(state_->leaf_template.get()));
    must(leaf != nullptr, "copy a certificate");
    set_random_serial(leaf.get());
    set_validity(leaf.get(), now - back_dating, now + leaf_validity);
    // A cut name could be another host's name, so a name that does not fit is left out; RFC 5280 section 4.2.1.6 then
    // wants the alternative name to be critical.
    const bool fits = host.text().size() <= max_common_name;
    if (fits)
        add_name_part(X509_get_subject_name(leaf.get()), "CN", host.text());
    add_subject_alternative_name(leaf.get(), host, fits ? Critical::no : Critical::yes);
    sign_with(leaf.get(), state_->ca_key.get());
    return leaf;
}

} // namespace aduana::certs

// SPDX-License-Identifier: Apache-2.0
// Carries calls to issuers over TLS, many at a time, and brings their answers back.
#pragma once

#include "broker/courier/settings.hpp"
#include "broker/mint/carriage.hpp"
#include "policy/base/fd.hpp"

#include <memory>

namespace aduana::broker {

/// What is to be kept of an answer, and where.
struct Keeping {
    KeepOrder order;
    UniqueFd file;
};
struct Brought {
    CarriedFrame frame;
    std::optional<Keeping> keeping;
};

class Carrier {
public:
    /// A call is given up after this time, which is less than those who wait for it have.
    static constexpr std::chrono::milliseconds deadline{9000};

    explicit Carrier(CourierSettings settings);
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;
    ~Carrier();

    /// Verified for the name of the endpoint; redirects are not followed; the address that is dialled is judged like an
    /// upstream's, by the call's own `addresses`. Any failure comes back as Undelivered.
    /// `file`: that of `errand.keep`, if there is one.
    void begin(ErrandFrame errand, UniqueFd file);
    /// Moves all transfers on, after waiting for one of them or for `socket` (-1: for none) at most until `patience` is
    /// over.
    void wait(int socket, short events, std::chrono::milliseconds patience);
    [[nodiscard]] std::vector<Brought> take_done();
    /// There is a call under way of whose answer something is to be kept.
    [[nodiscard]] bool is_keeping() const;

private:
    class Transfer;
    class Multi;

    CourierSettings settings_;
    std::unique_ptr<Multi> multi_;
    std::vector<std::unique_ptr<Transfer>> transfers_;
    std::vector<Brought> done_;
};

} // namespace aduana::broker

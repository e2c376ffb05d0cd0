// SPDX-License-Identifier: Apache-2.0
// Carries calls to issuers over TLS, many at a time, and brings their answers back.
#pragma once

#include "broker/courier/settings.hpp"
#include "broker/mint/carriage.hpp"

#include <memory>

namespace aduana::broker {

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
    void begin(ErrandFrame errand);
    /// Moves all transfers on, after waiting for one of them or for `socket` at most until `patience` is over.
    void wait(int socket, short events, std::chrono::milliseconds patience);
    [[nodiscard]] std::vector<CarriedFrame> take_done();

private:
    class Transfer;
    class Multi;

    CourierSettings settings_;
    std::unique_ptr<Multi> multi_;
    std::vector<std::unique_ptr<Transfer>> transfers_;
    std::vector<CarriedFrame> done_;
};

} // namespace aduana::broker

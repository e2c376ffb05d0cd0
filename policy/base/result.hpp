// SPDX-License-Identifier: Apache-2.0
// Errors as values: what went wrong and what to do about it.
#pragma once

#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace aduana {

/// An error that a person will read. `message` names the file and line, field, host or limit; `remedy` says what to do
/// (empty where there is nothing to add). Neither ever holds a secret.
struct Error {
    std::string message;
    std::string remedy{};

    friend bool operator==(const Error&, const Error&) = default;
};

/// A value or an error. Not a plain alias: Boost's implicit constructors leave a value out that an Error could be made
/// of as well, which is true of every std::string.
template <class T>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
    using Base = boost::system::result<T, Error>;

public:
    using Base::Base;
    Result(T value) : Base(boost::system::in_place_value, std::move(value)) {}
    Result(Error error) : Base(boost::system::in_place_error, std::move(error)) {}
};

/// Success without a value.
struct Ok {
    friend bool operator==(Ok, Ok) = default;
};

/// "message; remedy" on one line, for a terminal or a log.
[[nodiscard]] inline std::string describe(const Error& error)
{
    return error.remedy.empty() ? error.message : error.message + "; " + error.remedy;
}

/// Found by argument-dependent look-up when `.value()` is called on an error: a bug in the caller.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location&)
{
    throw std::logic_error(describe(error));
}

} // namespace aduana

// SPDX-License-Identifier: Apache-2.0
// `placeholder`: the variables and files of the sandbox that hold the stand-in of a credential.
#pragma once

#include "policy/credentials.hpp"
#include "policy/load/fields.hpp"

#include <map>
#include <string>

namespace aduana::policy::load {

/// What the placeholders of a file's credentials have taken so far.
struct TakenPlaces {
    struct File {
        std::string credential;
        PlaceholderFile::Format format;
    };
    std::map<std::string, std::string> variables;    ///< name -> credential
    std::map<std::string, File> files;               ///< path below the home
    std::map<MetadataService, std::string> metadata; ///< service -> credential
};

/// `credential` has its name, destinations and injection already.
void read_placeholder(const Node& node, CredentialDeclaration& credential, TakenPlaces& taken, Mistakes& mistakes);
/// The list of `files`.
void read_placeholder_files(const Node& node, CredentialDeclaration& credential, TakenPlaces& taken,
                            Mistakes& mistakes);

} // namespace aduana::policy::load

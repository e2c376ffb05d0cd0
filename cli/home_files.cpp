// SPDX-License-Identifier: Apache-2.0
// One function for each format.
#include "cli/home_files.hpp"

#include "certs/digest.hpp"
#include "certs/throwaway_key.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace aduana::cli {

namespace {

using policy::CredentialDeclaration;
using policy::PlaceholderFile;
using Values = std::vector<std::string>;

constexpr std::uint16_t https_port = 443;
constexpr std::size_t aws_values = 3;

void add_once(Values& values, std::string value)
{
    if (std::ranges::find(values, value) == values.end())
        values.push_back(std::move(value));
}

/// The names and addresses that it is bound to; of a suffix nobody knows which.
Values hosts_of(const policy::CredentialBound& bound)
{
    Values hosts;
    for (const auto& host : bound.hosts) {
        if (host.kind() == policy::HostPattern::Kind::exact)
            add_once(hosts, host.text());
    }
    return hosts;
}

/// HOST, or HOST:PORT where the port is another than that of https.
Values authorities_of(const CredentialDeclaration& credential)
{
    Values authorities;
    for (const auto& bound : credential.destinations) {
        for (const auto& host : hosts_of(bound)) {
            const auto name = host.find(':') == host.npos ? host : "[" + host + "]";
            for (const auto port : bound.ports)
                add_once(authorities, port == https_port ? name : name + ":" + std::to_string(port));
        }
    }
    return authorities;
}

/// Whom programs log in as. What they say is replaced together with the placeholder.
std::string user_of(const CredentialDeclaration& credential)
{
    const auto* basic = std::get_if<policy::BasicInjection>(&credential.inject);
    return basic != nullptr ? basic->user : "aduana";
}

class Files {
public:
    void write(const CredentialDeclaration& credential, const PlaceholderFile& file, const Values& values)
    {
        switch (file.format) {
        case PlaceholderFile::Format::npmrc:
            for (const auto& authority : authorities_of(credential))
                append(".npmrc", "//" + authority + "/:_authToken=" + values.front() + "\n");
            return;
        case PlaceholderFile::Format::netrc:
            write_netrc(credential, values.front());
            return;
        case PlaceholderFile::Format::docker:
            for (const auto& authority : authorities_of(credential))
                registries_[authority] = {{"auth", certs::to_base64(user_of(credential) + ":" + values.front())}};
            return;
        case PlaceholderFile::Format::aws:
            write_aws(credential, values);
            return;
        case PlaceholderFile::Format::gcp:
            write_google_account();
            return;
        case PlaceholderFile::Format::text:
            append(file.path, filled(file.content, values.front()));
        }
    }

    [[nodiscard]] std::vector<shim::HomeFile> take()
    {
        if (!registries_.empty())
            append(".docker/config.json", boost::json::serialize(boost::json::object{{"auths", registries_}}) + "\n");
        return std::move(files_);
    }

private:
    void append(const std::string& path, const std::string& content)
    {
        const auto found = std::ranges::find(files_, path, &shim::HomeFile::path);
        if (found == files_.end())
            files_.push_back({path, content});
        else
            found->content += content;
    }

    /// Its lines know no ports.
    void write_netrc(const CredentialDeclaration& credential, const std::string& value)
    {
        Values hosts;
        for (const auto& bound : credential.destinations) {
            for (auto& host : hosts_of(bound))
                add_once(hosts, std::move(host));
        }
        for (const auto& host : hosts) {
            std::string line = "machine " + host;
            line.append(" login ").append(user_of(credential)).append(" password ").append(value).append("\n");
            append(".netrc", line);
        }
    }

    void write_aws(const CredentialDeclaration& credential, const Values& values)
    {
        if (values.size() != aws_values)
            return;
        append(".aws/credentials", "[default]\naws_access_key_id = " + values[0] + "\naws_secret_access_key = " +
                                       values[1] + "\naws_session_token = " + values[2] + "\n");
        const auto* signing = std::get_if<policy::AwsInjection>(&credential.inject);
        const bool one_region = signing != nullptr && signing->regions.size() == 1;
        append(".aws/config", one_region ? "[default]\nregion = " + signing->regions.front() + "\n" : "[default]\n");
    }

    /// Its key signs requests for tokens, which the task's own metadata service answers.
    void write_google_account()
    {
        const auto tokens =
            "http://" + std::string(address_of(policy::MetadataService::gcp)) + std::string(policy::google_token_path);
        append(".config/gcloud/application_default_credentials.json",
               boost::json::serialize(boost::json::object{{"type", "service_account"},
                                                          {"project_id", "aduana"},
                                                          {"private_key_id", "0"},
                                                          {"private_key", certs::throwaway_rsa_key()},
                                                          {"client_email", policy::google_account},
                                                          {"client_id", "0"},
                                                          {"token_uri", tokens}}) +
                   "\n");
    }

    static std::string filled(std::string_view content, const std::string& value)
    {
        std::string out;
        for (auto slot = content.find("{}"); slot != content.npos; slot = content.find("{}")) {
            out.append(content.substr(0, slot)).append(value);
            content.remove_prefix(slot + 2);
        }
        return out.append(content);
    }

    std::vector<shim::HomeFile> files_;
    boost::json::object registries_;
};

/// In the order in which the credential names its variables.
Values values_of(const CredentialDeclaration& credential,
                 const std::vector<std::pair<std::string, std::string>>& placeholders)
{
    Values values;
    for (const auto& variable : credential.placeholder_env) {
        const auto found = std::ranges::find(placeholders, variable, &std::pair<std::string, std::string>::first);
        if (found != placeholders.end())
            values.push_back(found->second);
    }
    return values;
}

} // namespace

std::vector<shim::HomeFile> home_files(const std::vector<CredentialDeclaration>& credentials,
                                       const std::vector<std::pair<std::string, std::string>>& placeholders)
{
    Files files;
    for (const auto& credential : credentials) {
        const auto values = values_of(credential, placeholders);
        if (values.empty())
            continue;
        for (const auto& file : credential.placeholder_files)
            files.write(credential, file, values);
    }
    return files.take();
}

} // namespace aduana::cli

// SPDX-License-Identifier: Apache-2.0
// Sources of credentials are opened for the broker, never read.
#include "cli/secret_sources.hpp"

#include "tests/cli/declared.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aduana::cli {
namespace {

class SecretSources : public testing::Test {
protected:
    SecretSources()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~SecretSources() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] Result<OpenSources> open(policy::CredentialSource source) const
    {
        return open_sources(declared_alone(std::move(source)), SecretStore(folder_ + "/store"), Folders{folder_}, "t1");
    }

    std::string folder_;
};

TEST_F(SecretSources, AFileIsHandedOverUnread)
{
    std::ofstream(folder_ + "/secret") << "value";
    const auto sources = open(policy::FileSource{folder_ + "/secret"});
    ASSERT_TRUE(sources) << describe(sources.error());
    ASSERT_EQ(sources->names, (std::vector<std::string>{"api"}));
    ASSERT_EQ(sources->descriptors.size(), 1U);
    EXPECT_EQ(::lseek(sources->descriptors[0].get(), 0, SEEK_CUR), 0) << "somebody has read from it";
}

TEST_F(SecretSources, AProgramThatIsMissingIsToldBeforeARequestNeedsIt)
{
    const auto sources = open(policy::ExecSource{{folder_ + "/none"}});
    ASSERT_FALSE(sources);
    EXPECT_EQ(sources.error().message, "credential `api`: cannot run " + folder_ + "/none: No such file or directory");
}

TEST_F(SecretSources, AMissingFileIsNamedWithItsCredential)
{
    const auto sources = open(policy::FileSource{folder_ + "/none"});
    ASSERT_FALSE(sources);
    EXPECT_EQ(sources.error().message, "credential `api`: cannot read " + folder_ + "/none: No such file or directory");
    EXPECT_EQ(sources.error().remedy, "make the file, or correct `source.file` in the credentials file");
}

TEST_F(SecretSources, APipeWithoutAWriterDoesNotHangTheRun)
{
    ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
    EXPECT_TRUE(open(policy::FileSource{folder_ + "/pipe"}));
}

TEST_F(SecretSources, AVariableTravelsByItsName)
{
    ::setenv("ADUANA_TEST_SECRET", "value-of-the-variable", 1);
    const auto sources = open(policy::EnvironmentSource{"ADUANA_TEST_SECRET"});
    ::unsetenv("ADUANA_TEST_SECRET");
    ASSERT_TRUE(sources);
    ASSERT_EQ(sources->environment.size(), 1U);
    EXPECT_EQ(sources->environment[0].name, "ADUANA_TEST_SECRET");
    EXPECT_EQ(sources->environment[0].value.reveal(), "value-of-the-variable");
}

TEST_F(SecretSources, AVariableThatIsNotSetIsNamedWithItsCredential)
{
    const auto sources = open(policy::EnvironmentSource{"ADUANA_TEST_UNSET"});
    ASSERT_FALSE(sources);
    EXPECT_EQ(sources.error().message, "credential `api`: the variable ADUANA_TEST_UNSET is not set");
}

TEST_F(SecretSources, ASealedSecretComesWithTheKeyOfItsStore)
{
    const SecretStore store(folder_ + "/store");
    ASSERT_TRUE(store.put({"one", {}, Secret::copy_of("value")}));
    ASSERT_TRUE(store.put({"two", {}, Secret::copy_of("value")}));
    std::vector<policy::CredentialDeclaration> declarations;
    declarations.push_back(declared("a", policy::SealedSource{"one"}));
    declarations.push_back(declared("b", policy::JwtSource{{.key = policy::SealedSource{"two"}, .key_id = {}}, {}}));
    const auto sources = open_sources(declarations, store, Folders{folder_}, "t1");
    ASSERT_TRUE(sources) << describe(sources.error());
    EXPECT_EQ(sources->names, (std::vector<std::string>{"a", std::string(broker::store_key_source), "b/key"}));
    EXPECT_EQ(sources->descriptors.size(), 3U);
}

TEST_F(SecretSources, ARotatingRefreshTokenHasOneFileWhateverTheCredentialsFile)
{
    const SecretStore store(folder_ + "/store");
    std::ofstream(folder_ + "/refresh") << "token";
    std::filesystem::create_symlink(folder_ + "/refresh", folder_ + "/link");
    const auto files_of = [&](const std::string& token, const std::string& client) {
        policy::OAuth2Source source{.token_url = policy::HttpsUrl::parse("https://idp.test/token").value(),
                                    .client_id = client,
                                    .auth = policy::NoClientAuth{},
                                    .grant = policy::RefreshTokenGrant{policy::FileSource{folder_ + "/" + token}},
                                    .scope = {},
                                    .resource = {},
                                    .audience = {}};
        const auto sources = open_sources(declared_alone(std::move(source)), store, Folders{folder_}, "t1");
        EXPECT_TRUE(sources) << describe(sources.error());
        EXPECT_EQ(sources->kept, std::vector<std::string>{"api"});
        EXPECT_EQ(sources->names,
                  (std::vector<std::string>{"api/refresh_token", std::string(broker::store_key_source)}));
        const std::filesystem::directory_iterator files(Folders{folder_}.refresh_tokens());
        return std::distance(begin(files), end(files));
    };
    EXPECT_EQ(files_of("refresh", "agent"), 1);
    EXPECT_EQ(files_of("link", "agent"), 1);
    EXPECT_EQ(files_of("refresh", "other"), 2);
}

TEST_F(SecretSources, ASealedSecretThatIsNotThereIsNamed)
{
    const auto sources = open(policy::SealedSource{"none"});
    ASSERT_FALSE(sources);
    EXPECT_EQ(sources.error().message,
              "credential `api`: cannot read " + folder_ + "/store/none.box: No such file or directory");
    EXPECT_EQ(sources.error().remedy, "store it: aduana secret put none");
}

} // namespace
} // namespace aduana::cli

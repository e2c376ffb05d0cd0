// SPDX-License-Identifier: Apache-2.0
// The trust folder as OpenSSL and Java read it.
#include "certs/trust.hpp"

#include "certs/leaf_cache.hpp"
#include "certs/pem.hpp"
#include "tests/certs/verify_chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

namespace aduana::certs {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const TimePoint now = std::chrono::sys_days(std::chrono::year(2026) / 7 / 1);

/// A folder of the test's own, removed at its end.
class TemporaryFolder {
public:
    TemporaryFolder() { path_ = ::mkdtemp(name_.data()); }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

    void write(const std::vector<TrustFile>& files) const
    {
        std::filesystem::create_directory(path_ + "/java");
        for (const TrustFile& file : files)
            std::ofstream(path_ + "/" + file.name, std::ios::binary) << file.content;
    }

private:
    std::string name_ = testing::TempDir() + "aduana-trust-XXXXXX";
    std::string path_;
};

std::string content_of(const std::vector<TrustFile>& files, const std::string& name)
{
    for (const TrustFile& file : files) {
        if (file.name == name)
            return file.content;
    }
    return "no such file";
}

std::string output_of(const std::string& command, int& status)
{
    std::string text;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
        text += static_cast<char>(c);
    status = ::pclose(pipe);
    return text;
}

TEST(Trust, OpenSslFindsTheCaInTheFolderByItsHashedName)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const TaskCa root = TaskCa::create("system root", now);
    const auto files = trust_folder(root.certificate_pem(), ca.certificate_pem());
    ASSERT_TRUE(files);
    const TemporaryFolder folder;
    folder.write(*files);
    std::filesystem::remove(folder.path() + "/ca-certificates.crt");

    const StorePtr store(X509_STORE_new());
    ASSERT_EQ(X509_STORE_load_path(store.get(), folder.path().c_str()), 1);
    const auto api = host("api.example.com");
    EXPECT_EQ(verify_chain(store.get(), ca.mint(api, now).get(), api, now), "ok");
    EXPECT_EQ(verify_chain(store.get(), root.mint(api, now).get(), api, now), "ok");
    EXPECT_NE(verify_chain(store.get(), TaskCa::create("other", now).mint(api, now).get(), api, now), "ok");
}

TEST(Trust, OpenSslFindsTheCaInTheBundle)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const TaskCa root = TaskCa::create("system root", now);
    const auto files = trust_folder(root.certificate_pem(), ca.certificate_pem());
    ASSERT_TRUE(files);
    const TemporaryFolder folder;
    folder.write(*files);

    const StorePtr store(X509_STORE_new());
    ASSERT_EQ(X509_STORE_load_file(store.get(), (folder.path() + "/ca-certificates.crt").c_str()), 1);
    const auto api = host("api.example.com");
    EXPECT_EQ(verify_chain(store.get(), ca.mint(api, now).get(), api, now), "ok");
    EXPECT_EQ(verify_chain(store.get(), root.mint(api, now).get(), api, now), "ok");
    EXPECT_EQ(content_of(*files, "aduana-task-ca.pem"), ca.certificate_pem());
}

TEST(Trust, CertificatesWithOneSubjectGetNumberedNames)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const TaskCa first = TaskCa::create("root", now);
    const TaskCa second = TaskCa::create("root", now);
    const auto files = trust_folder(first.certificate_pem() + second.certificate_pem(), ca.certificate_pem());
    ASSERT_TRUE(files);
    std::map<std::string, int> suffixes;
    for (const TrustFile& file : *files) {
        if (file.name.size() == 10 && file.name[8] == '.')
            ++suffixes[file.name.substr(9)];
    }
    EXPECT_EQ(suffixes, (std::map<std::string, int>{{"0", 2}, {"1", 1}}));

    const TemporaryFolder folder;
    folder.write(*files);
    const StorePtr store(X509_STORE_new());
    ASSERT_EQ(X509_STORE_load_path(store.get(), folder.path().c_str()), 1);
    const auto api = host("api.example.com");
    EXPECT_EQ(verify_chain(store.get(), first.mint(api, now).get(), api, now), "ok");
    EXPECT_EQ(verify_chain(store.get(), second.mint(api, now).get(), api, now), "ok");
}

TEST(Trust, ACertificateThatIsThereTwiceIsWrittenOnce)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const std::string root = TaskCa::create("root", now).certificate_pem();
    const auto files = trust_folder(root + root + ca.certificate_pem(), ca.certificate_pem());
    ASSERT_TRUE(files);
    EXPECT_EQ(files->size(), 5U) << "the bundle, the CA, two hashed names and Java's store";
    EXPECT_EQ(content_of(*files, "ca-certificates.crt"), ca.certificate_pem() + root);
}

TEST(Trust, AHostWithoutRootsGivesAFolderWithTheTasksCaAlone)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const auto files = trust_folder(" \n", ca.certificate_pem());
    ASSERT_TRUE(files);
    EXPECT_EQ(content_of(*files, "ca-certificates.crt"), ca.certificate_pem());
}

TEST(Trust, CommentsOfTheBundleAreDropped)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const TaskCa root = TaskCa::create("root", now);
    const auto files =
        trust_folder("# password: hunter2\n" + root.certificate_pem() + "trailing text\n", ca.certificate_pem());
    ASSERT_TRUE(files);
    EXPECT_THAT(content_of(*files, "ca-certificates.crt"), testing::Not(HasSubstr("hunter2")));
}

TEST(Trust, ErrorsNameThePositionOfTheBadCertificate)
{
    const std::string good = TaskCa::create("root", now).certificate_pem();
    const std::string key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    const std::string no_x509 = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    const std::string no_base64 = "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n";
    const std::string cut = "-----BEGIN CERTIFICATE-----\nAAAA\n";
    const auto message = [](const std::string& pem) { return certificates_in(pem).error().message; };
    const auto lines = static_cast<long>(std::count(good.begin(), good.end(), '\n'));
    const std::string second = "certificate 2 (before line " + std::to_string(lines + 4) + ")";
    EXPECT_EQ(message(good + key), second + " is a \"PRIVATE KEY\", not a certificate");
    EXPECT_EQ(message(good + no_x509), second + " cannot be read as X.509");
    EXPECT_EQ(message(good + no_base64).substr(0, 14), "certificate 2 ");
    EXPECT_THAT(message(good + no_base64), HasSubstr("is not valid PEM"));
    EXPECT_THAT(message(good + cut), HasSubstr("certificate 2 "));
    EXPECT_EQ(message(""), "the PEM text holds no certificate");
    EXPECT_EQ(trust_folder(good + key, good).error().message, second + " is a \"PRIVATE KEY\", not a certificate");
}

TEST(Trust, TheHostsOwnBundleIsAccepted)
{
    std::ifstream file("/etc/ssl/certs/ca-certificates.crt");
    if (!file)
        GTEST_SKIP() << "this machine has no /etc/ssl/certs/ca-certificates.crt";
    const std::string bundle{std::istreambuf_iterator<char>(file), {}};
    const auto certificates = certificates_in(bundle);
    ASSERT_TRUE(certificates);
    const auto files = trust_folder(bundle, TaskCa::create("demo", now).certificate_pem());
    ASSERT_TRUE(files);
    EXPECT_GT(files->size(), certificates->size());
}

TEST(Trust, KeytoolListsEveryCertificateOfTheJavaStore)
{
    int status = 0;
    static_cast<void>(output_of("command -v keytool", status));
    if (status != 0)
        GTEST_SKIP() << "keytool is not installed: Java's own reading of the key store is NOT tested";
    const TaskCa ca = TaskCa::create("demo", now);
    const TaskCa root = TaskCa::create("root", now);
    const auto files = trust_folder(root.certificate_pem(), ca.certificate_pem());
    ASSERT_TRUE(files);
    const TemporaryFolder folder;
    folder.write(*files);

    const std::string list = "LC_ALL=C TZ=UTC keytool -list -keystore " + folder.path() + "/java/cacerts";
    const std::string listing = output_of(list + " -storepass changeit 2>&1", status);
    EXPECT_EQ(status, 0) << listing;
    EXPECT_THAT(listing, HasSubstr("Keystore type: JKS"));
    EXPECT_THAT(listing, HasSubstr("Your keystore contains 2 entries"));
    EXPECT_THAT(listing, HasSubstr("aduana-task-ca, Jul 1, 2026, trustedCertEntry"));

    const std::string wrong = output_of(list + " -storepass changed 2>&1", status);
    EXPECT_NE(status, 0) << "the keyed digest must depend on the password: " << wrong;
}

} // namespace
} // namespace aduana::certs

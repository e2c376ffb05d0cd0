// SPDX-License-Identifier: Apache-2.0
// Secrets that somebody pasted into a file are in no message about it.
#include "policy/load/load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace aduana::policy {
namespace {

// No name, no path, no number, no URL: a mistake wherever it stands.
const std::string pasted = "Tok+1s/secret==";

std::string said_of(const std::string& text)
{
    const auto loaded = load_credentials(text, "credentials.yaml");
    return loaded ? std::string() : to_text(loaded.error());
}

std::string with_source(const std::string& source, const std::string& inject = "{bearer: {}}")
{
    return "version: 1\ncredentials:\n  issues: {source: " + source +
           ", destinations: [{hosts: [api.example.com]}], inject: " + inject + "}\n";
}

void expect_unseen(const std::string& text)
{
    SCOPED_TRACE(text);
    const auto said = said_of(text);
    EXPECT_FALSE(said.empty()) << "the file is to have a mistake";
    for (const auto* const part : {"Tok+", "1s/", "secret=="})
        EXPECT_EQ(said.find(part), std::string::npos) << said;
}

TEST(PastedSecrets, AreUnseenWhereverTheyStandInASource)
{
    const std::string t = pasted;
    for (const std::string& source :
         {t,
          "[" + t + "]",
          "\"" + t + "\"",
          "{file: " + t + "}",
          "{file: \"" + t + "\"}",
          "{env: " + t + "}",
          "{secret: " + t + "}",
          "{file: [" + t + "]}",
          "{file: {a: " + t + "}}",
          "{value: " + t + "}",
          "{value: [" + t + ", {b: " + t + "}]}",
          "{file: /a, env: " + t + "}",
          "{exec: {command: \"/bin/mint --token " + t + "\"}}",
          "{exec: {command: [" + t + "]}}",
          "{exec: {command: [/bin/mint], environment: {A: [" + t + "]}}}",
          "{exec: {command: [/bin/mint], output: " + t + "}}",
          "{exec: {command: [/bin/mint], argument: " + t + "}}",
          "{oauth2: {token_url: " + t + "}}",
          "{oauth2: {token_url: \"https://user:" + t + "@idp.test/\"}}",
          "{oauth2: {token_url: \"https://idp.test/#" + t + "\"}}",
          "{oauth2: " + t + "}",
          "{oauth2: {token_url: \"https://idp.test/\", client_id: a, auth: {client_secret_basic: {secret: " + t +
              "}}}}",
          "{jwt: {key: " + t + ", algorithm: " + t + ", claims: {iss: [], aud: " + t + "}, lifetime: " + t + "}}",
          "{aws: {region: " + t + ", role: " + t + "}}",
          "{vault: {token: " + t + "}}",
          "{registry: {user: \"a:" + t + "\", scopes: [" + t + "], password: " + t + "}}"})
        expect_unseen(with_source(source));
}

TEST(PastedSecrets, AreUnseenWhereverTheyStandInAnInjection)
{
    const std::string t = pasted;
    for (const std::string& inject :
         {t, "{bearer: " + t + "}", "{bearer: [" + t + "]}", "{basic: {user: \"a:" + t + "\"}}",
          "{header: {name: " + t + "}}", "{header: {name: X-Key, format: " + t + "}}", "{query: {name: " + t + "}}",
          "{cookie: {name: " + t + "}}", "{path: {segment: " + t + "}}", "{field: {json: " + t + "}}",
          "{sigv4: {services: [" + t + ", sts], regions: [" + t + "]}}", "{token: " + t + "}"})
        expect_unseen(with_source("{file: /a}", inject));
}

TEST(PastedSecrets, AreUnseenWhereNoSourceIs)
{
    const std::string t = pasted;
    for (const std::string& text :
         {"version: 1\ncredentials: " + t + "\n", "version: 1\ncredentials:\n  issues: " + t + "\n",
          "version: 1\ncredentials:\n  issues: {token: " + t + "}\n", "version: 1\ncredentials:\n  - " + t + "\n",
          "version: 1\ntoken: " + t + "\n",
          "version: 1\ncredentials:\n  issues:\n    source:\n      file: |\n        " + t + "\n        " + t + "\n"})
        expect_unseen(text);
}

TEST(PastedSecrets, AreUnseenWhereTheTextIsNoTree)
{
    const std::string t = pasted;
    for (const std::string& source :
         {"&a " + t, "!a " + t, "*" + t, "@" + t, "%" + t, "\"" + t, "{file: " + t, "\t" + t, t + "\x01",
          "{file: /a}, source: " + t, "{a: {b: {c: {d: {e: {f: " + t + "}}}}}}"})
        expect_unseen(with_source(source));
    expect_unseen("version: 1\ncredentials:\n  issues:\n    source:\n      " + pasted + "\n    \tinject: {}\n");
    expect_unseen("version: 1\ncredentials:\n  issues:\n    source: |\n      " + pasted + "\t\n");
}

TEST(PastedSecrets, AreUnseenInTheMistakesOfTheirNeighbours)
{
    expect_unseen("version: 1\ncredentials:\n  issues: {source: {file: /etc/" + pasted +
                  "}, inject: {bearer: {}}, destinations: [{hosts: [UPPER..test]}]}\n");
}

TEST(PastedSecrets, AreUnseenInAPlaceholderAndAsAKey)
{
    const std::string t = pasted;
    const std::string bound = ", destinations: [{hosts: [api.example.com]}], inject: {bearer: {}}";
    for (const std::string& placeholder :
         {t, "{env: [" + t + "]}", "{env: [API_TOKEN=" + t + "]}", "{env: [A], prefix: " + t + "}",
          "{env: [A], value: " + t + "}", "{env: [A], shape: " + t + "}",
          "{env: [A], files: [{path: a, content: \"" + t + "\"}]}", "{aws_env: " + t + "}"})
        expect_unseen("version: 1\ncredentials:\n  issues: {source: {file: /a}, placeholder: " + placeholder + bound +
                      "}\n");
    expect_unseen(with_source("{file: /a, " + t + "}"));
    expect_unseen(with_source("{" + t + ": /a}"));
    expect_unseen("version: 1\ncredentials:\n  " + t + ": {source: {file: /a}" + bound + "}\n");
    expect_unseen("version: 1\ncredentials:\n  issues: {source: {file: /a}" + bound + "}\n  " + t + "\n");
}

// Of letters alone, which no look at the text itself would take for a secret.
TEST(PastedSecrets, ThatLookLikeWordsAreUnseenByTheirPlace)
{
    const std::vector<std::string> texts{"sekret",     "API_TOKEN=sekret\nOTHER=sekret",
                                         "- sekret",   "\"sekret",
                                         "sekret\t",   "sekret: a: b\n@",
                                         "[sekret, {", "sekret two\n\tthree"};
    for (const auto& text : texts) {
        SCOPED_TRACE(text);
        const auto policy = load_policy(text, "policy.yaml");
        const auto settings = load_operator_settings(text, "aduana.yaml");
        ASSERT_FALSE(policy);
        ASSERT_FALSE(settings);
        const bool is_key = text.starts_with("sekret:");
        for (const auto& said : {to_text(policy.error()), to_text(settings.error()), said_of(text)})
            EXPECT_EQ(said.find("sekret") != said.npos, is_key) << said;
    }
}

TEST(PastedSecrets, AreUnseenInAPolicyAndInTheOperatorsFile)
{
    const std::string t = pasted;
    const std::string head = "version: 1\nallow: [{name: a, hosts: [a.test], ";
    const std::vector<std::string> policies{head + "credential: " + t + "}]\n",
                                            head + "paths: [" + t + "]}]\n",
                                            head + t + ": 1}]\n",
                                            "version: 1\nallow: [{name: " + t + ", hosts: [a.test]}]\n",
                                            "version: 1\nsandbox: {environment: {A: sekret, 1A: x}}\n",
                                            "version: 1\nsandbox: {environment: {A: 'sekret}}\n",
                                            "version: 1\nsandbox:\n  environment:\n    A: &a sekret\n",
                                            "version: 1\nsandbox: {pass_environment: [A=sekret]}\n"};
    for (const auto& text : policies) {
        const auto loaded = load_policy(text, "policy.yaml");
        ASSERT_FALSE(loaded) << text;
        const auto said = to_text(loaded.error());
        for (const auto* const part : {"Tok+", "1s/", "secret==", "sekret"})
            EXPECT_EQ(said.find(part), std::string::npos) << said;
    }
    for (const std::string url :
         {"http://user:sekret@proxy.test:3128", "user:sekret@proxy.test", "http://sekret@proxy"}) {
        const auto loaded =
            load_operator_settings("version: 1\nupstream: {parent_proxy: {url: \"" + url + "\"}}\n", "aduana.yaml");
        ASSERT_FALSE(loaded);
        EXPECT_EQ(to_text(loaded.error()).find("sekret"), std::string::npos) << to_text(loaded.error());
    }
}

TEST(PastedSecrets, LeaveTheRestOfTheLineAndItsKeys)
{
    EXPECT_EQ(said_of(with_source("{env: " + pasted + "}")),
              "credentials.yaml:3:26: error: (the value of `env`) cannot be the name of an environment variable\n"
              "  issues: {source: {env: ...}, destinations: [{hosts: [api.example.com]}], inject: {bearer: {}}}\n"
              "                         ^\n"
              "  help: write letters, digits and `_`, and do not begin with a digit\n");
    EXPECT_EQ(said_of("version: 1\ncredentials:\n  issues:\n    source: " + pasted +
                      "  # of mine\n    destinations: [{hosts: [a..test]}]\n    inject: {bearer: {}}\n"),
              "credentials.yaml:4:13: error: `source` must hold keys and values\n"
              "    source: ...\n"
              "            ^\n"
              "  help: write `KEY: VALUE`; keys: file, env, secret, oauth2, jwt, github_app, aws, gcp, vault, "
              "registry, exec\n"
              "credentials.yaml:5:29: error: \"a..test\" is not a host name: a label is empty\n"
              "    destinations: [{hosts: [a..test]}]\n"
              "                            ^\n"
              "  help: write one dot between labels\n");
}

} // namespace
} // namespace aduana::policy

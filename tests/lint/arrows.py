# SPDX-License-Identifier: Apache-2.0
"""Which room may include which, and which folder owns which third-party library. Data only; `rules.py` reads it."""

# A file of the folder on the left may include files under the folders (or the files) on the right. The longest
# matching folder decides; every folder may include itself. A folder that is not listed here is an error.
MAY_INCLUDE = {
    "policy/base": [],
    "policy/load": ["policy"],
    "policy/presets": [],
    "policy": ["policy/base"],
    "channel": ["policy/base"],
    "programs": ["policy/base"],
    "certs": ["policy"],
    "audit": ["certs", "policy"],
    "broker/protocol": ["channel", "policy/base"],
    "broker/sign": ["policy/base"],
    "broker/mint": ["broker/core/random.hpp", "broker/protocol", "broker/sealed", "broker/sign", "policy"],
    "broker/sealed": ["policy"],
    "broker/core": ["broker/mint", "broker/sealed", "broker/protocol", "broker/sign", "policy"],
    "broker/shell": ["broker/core", "broker/mint", "broker/protocol", "channel", "policy"],
    "broker/courier": ["broker/mint", "broker/sealed", "policy"],
    "broker/runner": ["broker/mint", "policy/base", "programs"],
    "broker/client": ["broker/protocol", "channel", "policy/base"],
    "proxy/core": ["policy", "broker/protocol", "broker/sign/chunks.hpp", "broker/sign/digest.hpp", "certs/digest.hpp",
                   "certs/utf8.hpp"],
    "proxy/control": ["channel", "policy/base"],
    "proxy/ports": ["proxy/core", "policy", "broker/protocol", "audit/event.hpp"],
    "proxy/shell": ["proxy", "channel", "policy", "certs", "audit", "broker/client", "broker/protocol",
                    "broker/sign/digest.hpp"],
    "sandbox-shim/stub": [],
    "sandbox-shim/apply": ["sandbox-shim", "channel", "policy", "certs", "audit", "proxy/control"],
    "sandbox-shim/janitor": ["sandbox-shim", "channel", "policy", "certs", "audit", "proxy/control"],
    "sandbox-shim/containers": ["sandbox-shim", "policy", "certs", "audit", "proxy/control"],
    "sandbox-shim": ["policy", "certs", "audit", "proxy/control"],
    "cli/serve": ["channel", "policy/base", "proxy/control", "broker/protocol"],
    "cli": ["channel", "policy", "certs", "audit", "broker/client", "broker/protocol", "broker/sealed", "programs",
            "proxy/control", "sandbox-shim"],
}

# Only a main composes a shell.
MAIN_MAY_ALSO_INCLUDE = {
    "broker/main.cpp": ["broker"],
    "broker/courier/main.cpp": ["broker/shell", "channel"],
    "broker/runner/main.cpp": ["broker/shell", "channel"],
    "proxy/main.cpp": ["proxy"],
}

# Judgement does not depend on how a policy is written down, nor a plan on how it is carried out.
MUST_NOT_INCLUDE = {"policy": ["policy/load", "policy/presets"],
                    "sandbox-shim": ["sandbox-shim/apply", "sandbox-shim/janitor"]}

# Prefix of an include in angle brackets -> expressions of the files that may have it.
THIRD_PARTY = {
    "llhttp": [r"proxy/core/"],
    "nghttp2": [r"proxy/core/"],
    "yaml-cpp/": [r"policy/load/"],
    "spdlog/": [r".*/diagnostics\.[ch]pp"],
    "fmt/": [r".*/diagnostics\.[ch]pp"],
    "ldns/": [r"proxy/core/"],
    "hs": [r"proxy/core/sieve\.cpp"],
    "zlib": [r"proxy/core/content_decoder\.cpp"],
    "zstd": [r"proxy/core/content_decoder\.cpp"],
    "brotli/": [r"proxy/core/content_decoder\.cpp"],
    "idn2": [r"policy/"],
    "ares": [r"proxy/shell/"],
    "libmnl/": [r"sandbox-shim/apply/"],
    "nftables/": [r"sandbox-shim/apply/"],
    "curl": [r"broker/courier/"],
    "seccomp": [r"sandbox-shim/apply/", r"broker/shell/", r"proxy/shell/"],
    "CLI/": [r"cli/"],
    "sodium": [r"broker/sealed/sealed_secret\.cpp"],
    "boost/json": [r"audit/", r"proxy/core/", r"cli/", r"broker/mint/json\.cpp"],
    "boost/asio": [r"proxy/shell/", r"proxy/ports/"],
    "openssl/ssl": [r"proxy/shell/[a-z_]*tls[a-z_]*\.[ch]pp", r"broker/courier/transfer\.cpp"],
}

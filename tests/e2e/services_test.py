#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of real services with credentials that they never have, by the presets: what a preset lets through works, and
what it does not is refused with the reason, before anything reaches the service."""

import base64
import json

from support.aduana import GIT, NPM, PIP, allow
from support.case import EndToEnd, main
from support.deriving_server import LFS_PASSWORD, LFS_USER, NAMES, deriving
from support.image_registry import ImageRegistry
from support.nginx import Nginx
from support.repositories import FILES, cargo, maven
from support.tls_server import TlsServer

NGINX, DERIVING = "127.0.0.8:443", "127.0.0.7"
CARGO_TOKEN, MAVEN_PASSWORD, FORGE_TOKEN = "cargo-token-3f77a1", "maven-password-60b2", "forge-token-19ce55"
COMMIT = "git -c user.name=x -c user.email=x@example.com commit"
CLONE = "git clone -q https://git.test/team/app.git app\ncd app\n"
ISSUE = json.dumps({"title": "issue 1: open"})


def only_with(authorization, body):
    """The body of a server block that answers nobody else."""
    return f'        if ($http_authorization != "{authorization}") {{ return 401; }}\n{body}'


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Services(EndToEnd):
    wanted = ("git", "npm", "pip")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.upstreams.folder
        cls.images = ImageRegistry(folder / "images")
        cls.addClassCleanup(cls.images.stop)
        for make in (cargo, maven):
            (folder / make.__name__).mkdir()
            make(folder / make.__name__)
        forge = f"        location /api/v3/ {{ default_type application/json; return 200 '{ISSUE}'; }}"
        cargo_files, maven_files = (FILES.format(folder=folder / name, more="") for name in ("cargo", "maven"))
        sites = {"cargo.test": only_with(CARGO_TOKEN, cargo_files),
                 "maven.test": only_with(basic("reader", MAVEN_PASSWORD), maven_files),
                 "gh.test": only_with(f"token {FORGE_TOKEN}", forge)}
        sites.update((f"{name}.test", site) for name, site in cls.images.sites.items())
        cls.services = Nginx(folder / "services", cls.upstreams.authority, sites, listen=dict.fromkeys(sites, NGINX))
        cls.addClassCleanup(cls.services.stop)
        handler = deriving()
        cls.lfs = handler.state
        server = TlsServer(handler, cls.upstreams.authority, DERIVING, *NAMES)
        cls.addClassCleanup(server.stop)
        cls.places = {name: NGINX.split(":")[0] for name in sites} | dict.fromkeys(NAMES, DERIVING)

    def setUp(self):
        super().setUp()
        self.person.operate(**{name.replace(".", "_"): place for name, place in self.places.items()})

    def bind(self, *bindings):
        """Each binding: name, host, secret, inject, preset, and more lines."""
        text = "version: 1\ncredentials:\n"
        for name, host, secret, inject, preset, *more in bindings:
            source = self.person.write(f"secret-{name}", secret)
            source.chmod(0o600)
            bound = f"{{hosts: [{host}]" + (f", preset: {json.dumps(preset)}}}" if preset else "}")
            text += f"  {name}:\n    source: {{file: {source}}}\n    destinations: [{bound}]\n    inject: {inject}\n"
            text += "".join(f"    {line}\n" for line in more)
        self.person.credentials = self.person.write("credentials.yaml", text)
        self.person.credentials.chmod(0o600)

    def served(self, *command, **more):
        outcome = self.person.run(*command, **more)
        self.assert_exit(outcome, 0)
        self.assertEqual(outcome.refused(), [], str(outcome))
        self.assert_unseen(outcome)
        return outcome

    def refused(self, reason, *command, **more):
        outcome = self.person.run(*command, **more)
        self.assertNotEqual(outcome.exit, 0, str(outcome))
        self.assertNotIn(outcome.exit, (124, 125, 126, 127), str(outcome))
        self.assertEqual({r["reason"] for r in outcome.refused()}, {reason}, str(outcome))
        self.assertIn(reason, outcome.stderr)
        self.assert_unseen(outcome)
        return outcome

    def assert_unseen(self, outcome):
        seen = outcome.stdout + outcome.stderr + "".join(f.read_text() for f in outcome.journal.glob("*.jsonl"))
        self.assert_no_secret(seen, "what came of the run")
        for secret in (CARGO_TOKEN, MAVEN_PASSWORD, FORGE_TOKEN, LFS_PASSWORD, self.images.password,
                       *self.images.tokens, *self.lfs.handed_out()):
            self.assertNotIn(secret, seen)

    def write(self, path, text):
        file = self.person.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def test_npm_installs_and_does_not_publish(self):
        npm, registry = self.upstreams.npm, ["--no-update-notifier", "--no-audit", "--registry", "https://npm.test/"]
        self.person.allow(allow("npm", "npm.test", "npm", preset="npm-read"))
        self.bind(("npm", "npm.test", npm.token, "{bearer: {}}", "npm-read"))
        self.served(NPM, "install", *registry, npm.package)
        self.write("package.json", '{"name": "stolen", "version": "1.0.0"}')
        self.refused("method-not-allowed", NPM, "publish", *registry, "--//npm.test/:_authToken=placeholder")
        self.refused("closed-by-preset", NPM, "token", "list", *registry, "--//npm.test/:_authToken=placeholder")

    def test_pip_downloads_and_does_not_upload(self):
        pip = self.upstreams.pip
        self.person.allow(allow("pip", "pip.test", "pip", preset="pypi-read"))
        self.bind(("pip", "pip.test", pip.password, f"{{basic: {{user: {pip.user}}}}}", "pypi-read"))
        self.served(PIP, "download", "--no-deps", "--disable-pip-version-check", "-d", "wheels", "--index-url",
                    "https://pip.test/simple/", pip.package)
        self.refused("closed-by-preset", "curl", "-sSf", "-F", "content=@wheels/" + pip.wheel,
                     "https://pip.test/legacy/")

    def test_cargo_fetches_and_does_not_publish(self):
        self.person.allow(allow("cargo", "cargo.test", "cargo", preset="cargo-read"))
        self.bind(("cargo", "cargo.test", CARGO_TOKEN, "{header: {name: Authorization}}", "cargo-read"))
        self.write(".cargo/config.toml", '[registries.test]\nindex = "sparse+https://cargo.test/index/"\n')
        self.write("src/lib.rs", "")
        self.write("Cargo.toml", '[package]\nname = "x"\nversion = "1.0.0"\n[dependencies]\n'
                                 'aduana-sample = {version = "1", registry = "test"}\n')
        options = {"options": ["--env", "RUSTC_BOOTSTRAP=1"]}
        outcome = self.served("/usr/bin/cargo", "-Z", "sparse-registry", "fetch", **options)
        self.assertIn("Downloaded aduana-sample v1.0.0", outcome.stderr)
        self.refused("closed-by-preset", "curl", "-sSf", "-T", "src/lib.rs", "https://cargo.test/api/v1/crates/new")

    def test_maven_fetches_and_does_not_deploy(self):
        self.person.allow(allow("maven", "maven.test", "maven", preset="maven-read"))
        self.bind(("maven", "maven.test", MAVEN_PASSWORD, "{basic: {user: reader}}", "maven-read"))
        self.write("pom.xml", """<project><modelVersion>4.0.0</modelVersion><parent><groupId>test.example</groupId>
            <artifactId>parent</artifactId><version>1.0</version><relativePath/></parent><artifactId>child</artifactId>
            <packaging>pom</packaging><repositories><repository><id>test</id><url>https://maven.test</url></repository>
            </repositories></project>""")
        self.served("/bin/sh", "-c", "mvn -B -ntp validate && find $HOME/.m2 -name parent-1.0.pom | grep .")
        self.refused("method-not-allowed", "curl", "-sSf", "-T", "pom.xml", "https://maven.test/test/x-1.0.pom")

    def test_git_pushes_to_its_repository_alone(self):
        git, preset = self.upstreams.git, {"github-git": {"repository": "team/app", "push": True}}
        self.person.allow(allow("git", "git.test", "git", preset=preset))
        self.bind(("git", "git.test", git.password, f"{{basic: {{user: {git.user}}}}}", preset))
        self.write("edit.sh", f"set -e\n{CLONE}echo more >>README.txt\n{COMMIT} -qam More\ngit push -q origin HEAD\n")
        self.served("/bin/sh", "edit.sh")
        self.refused("path-not-allowed", GIT, "-C", "app", "push", "https://git.test/project.git", "HEAD:main")
        read = {"github-git": {"repository": "team/app"}}
        self.person.allow(allow("git", "git.test", "git", preset=read))
        self.bind(("git", "git.test", git.password, f"{{basic: {{user: {git.user}}}}}", read))
        self.write("push.sh", f"cd app\n{COMMIT} -q --allow-empty -m No\ngit push -q origin HEAD\n")
        self.refused("path-not-allowed", "/bin/sh", "push.sh")

    def test_git_lfs_puts_and_gets_objects_with_placeholders_of_their_store(self):
        git = self.upstreams.git
        push, lfs = ({"github-git": {"repository": "team/app", **more}} for more in ({"push": True}, {"lfs": True}))
        self.person.allow(allow("git", "git.test", "git", preset=push), allow("lfs", "lfs.test", "lfs", preset=lfs),
                          allow("objects", "objects.test", methods=["GET", "PUT"]))
        self.bind(("git", "git.test", git.password, f"{{basic: {{user: {git.user}}}}}", push),
                  ("lfs", "lfs.test", LFS_PASSWORD, f"{{basic: {{user: {LFS_USER}}}}}", lfs))
        self.write("put.sh", "set -e\ngit lfs install --skip-repo >/dev/null\n"
                   "git config --global lfs.url https://lfs.test/team/app.git/info/lfs\n"
                   f"{CLONE}git lfs install >/dev/null\ngit lfs track '*.bin'\nhead -c 300000 /dev/zero >big.bin\n"
                   f"git add .\n{COMMIT} -qam Big\ngit push -q origin HEAD\n"
                   "rm -rf .git/lfs/objects\ngit lfs fetch\ngit lfs checkout\nwc -c big.bin\n")
        outcome = self.served("/bin/sh", "put.sh", timeout=180)
        self.assertIn("300000 big.bin", outcome.stdout)
        self.assertEqual([len(body) for body in self.lfs.objects.values()], [300000])
        self.assertEqual({e["credential"] for e in outcome.events("capture")}, {"lfs"})
        moved = [(r["method"], r["credential"]) for r in outcome.requests() if r["host"] == "objects.test"]
        self.assertEqual(sorted(set(moved)), [("GET", "lfs"), ("PUT", "lfs")])

    def test_skopeo_pulls_with_the_brokers_token_and_does_not_push(self):
        preset = {"oci-pull": {"repository": "team/app"}}
        self.person.allow(allow("images", "images.test", "images", preset=preset))
        source = self.person.write("secret-images", self.images.password)
        source.chmod(0o600)
        self.person.credentials = self.person.write("credentials.yaml", f"""version: 1
credentials:
  images:
    source:
      registry:
        realm: "https://tokens.test/token"
        service: images.test
        scope: ["repository:team/app:pull"]
        user: {self.images.user}
        password: {{file: {source}}}
    destinations: [{{hosts: [images.test], preset: {json.dumps(preset)}}}]
    inject: {{bearer: {{}}}}
    issuer: {{addresses: [127.0.0.0/8]}}
""")
        self.person.credentials.chmod(0o600)
        copy = ["skopeo", "--insecure-policy", "copy"]
        self.served(*copy, "docker://images.test/team/app:latest", "dir:image")
        self.refused("method-not-allowed", *copy, "dir:image", "docker://images.test/team/app:mine")
        self.refused("path-not-allowed", *copy, "docker://images.test/team/other:latest", "dir:other")

    def test_skopeo_pulls_with_a_token_that_it_asks_for_itself(self):
        self.person.allow(allow("tokens", "tokens.test", "tokens", methods=["GET"], paths=["/token"]),
                          allow("images", "images.test", methods=["GET", "HEAD"]))
        self.bind(("tokens", "tokens.test", self.images.password, f"{{basic: {{user: {self.images.user}}}}}", None,
                   "capture: [{preset: registry-token, paths: [/token], hosts: [images.test]}]"))
        outcome = self.served("skopeo", "--insecure-policy", "copy", "docker://images.test/team/app:latest",
                              "dir:image")
        self.assertEqual({e["credential"] for e in outcome.events("capture")}, {"tokens"})
        self.assertIn("tokens", {r["credential"] for r in outcome.requests() if r["host"] == "images.test"})

    def test_gh_reads_its_repository_and_does_not_add_keys(self):
        paths = ["/api/v3/repos/acme/app/**"]
        self.person.allow(allow("forge", "gh.test", "forge", methods=["GET", "POST"], paths=paths))
        self.bind(("forge", "gh.test", FORGE_TOKEN, '{header: {name: Authorization, format: "token {}"}}', None,
                   "placeholder: {env: [GH_ENTERPRISE_TOKEN], prefix: ghs_}"))
        options = {"options": ["--env", "GH_HOST=gh.test"]}
        self.assertIn("issue 1: open", self.served("gh", "api", "repos/acme/app/issues/1", **options).stdout)
        self.refused("path-not-allowed", "gh", "api", "-X", "POST", "user/keys", **options)
        self.refused("path-not-allowed", "gh", "api", "repos/acme/other/issues/1", **options)


if __name__ == "__main__":
    main()

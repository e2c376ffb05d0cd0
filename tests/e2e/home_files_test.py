#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that read their credentials from files find placeholders there, log in with them, and never see a value."""

import base64

import boto3
from botocore.config import Config

from support.aduana import NPM, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.tls_server import Handler, TlsServer

ADDRESS, USER, TOKEN = "127.0.0.9", "builder", "the-real-token-77f1"
BASIC = "Basic " + base64.b64encode(f"{USER}:{TOKEN}".encode()).decode()
# As it is in an interactive shell of somebody who never set a variable.
NO_KEYS = ["/usr/bin/env", "-u", "AWS_ACCESS_KEY_ID", "-u", "AWS_SECRET_ACCESS_KEY", "-u", "AWS_SESSION_TOKEN"]


class Service(Handler):
    """A package registry, an API and an image registry: each answers only to its own credential."""

    def do_GET(self):
        wanted = f"Bearer {TOKEN}" if self.path.startswith("/-/") else BASIC
        good = self.headers["Authorization"] == wanted
        body = b'{"username": "builder", "name": "a/b", "tags": ["one"]}' if good else b"{}"
        self.send_response(200 if good else 401)
        if not good:
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class HomeFiles(EndToEnd):
    wanted = ("s3",)

    def setUp(self):
        super().setUp()
        server = TlsServer(Service, self.upstreams.authority, ADDRESS, "files.test")
        self.addCleanup(server.stop)
        self.person.operate(files_test=ADDRESS)

    def bind(self, inject, files):
        self.person.allow(allow("files", "files.test", "files", methods=["GET"]))
        self.person.bind(("files", "files.test", TOKEN, inject, f'{{env: [FILES], prefix: "ph_", files: {files}}}'))

    def run_in(self, way, *command):
        outcome = self.person.run(*way, *command)
        self.assert_sound(outcome)
        self.assertNotIn(TOKEN, outcome.stdout + outcome.stderr)
        return outcome

    def test_npm_is_logged_in(self):
        self.bind("{bearer: {}}", "[npmrc]")
        for way in ([], WITHOUT_PROXY):
            outcome = self.run_in(way, NPM, "whoami", "--registry", "https://files.test/")
            self.assert_exit(outcome, 0)
            self.assertEqual(outcome.stdout.strip(), USER)
        self.bind("{bearer: {}}", "[netrc]")
        outcome = self.run_in([], NPM, "whoami", "--registry", "https://files.test/")
        self.assertIn("ENEEDAUTH", outcome.stderr, "without its file it does not even ask")

    def test_curl_sends_the_placeholder_that_the_credential_waits_for(self):
        self.bind("{basic: {}}", "[netrc]")
        for way in ([], WITHOUT_PROXY):
            outcome = self.run_in(way, "/bin/sh", "-c", f"sed -i s/aduana/{USER}/ ~/.netrc && "
                                  "curl -sS --fail --netrc https://files.test/")
            self.assert_exit(outcome, 0)
            self.assertIn(USER, outcome.stdout)
        outcome = self.run_in([], "/usr/bin/curl", "-sS", "--fail", "https://files.test/")
        self.assertNotEqual(outcome.exit, 0)
        self.assertEqual(outcome.requests()[0]["reason"], "credential-misplaced")

    def test_skopeo_knows_whom_it_is_logged_in_as(self):
        self.bind(f"{{basic: {{user: {USER}}}}}", "[docker]")
        for way in ([], WITHOUT_PROXY):
            outcome = self.run_in(way, "/bin/sh", "-c", "skopeo login --get-login files.test && "
                                  "skopeo list-tags docker://files.test/a/b")
            self.assert_exit(outcome, 0)
            self.assertEqual(outcome.stdout.split()[0], USER)
            self.assertIn('"one"', outcome.stdout)

    def test_the_aws_cli_and_its_library_use_the_default_profile(self):
        store = self.upstreams.s3
        direct = boto3.client("s3", endpoint_url="http://127.0.0.1:8080", region_name=store.region,
                              aws_access_key_id=f"{store.account}:{store.user}", aws_secret_access_key=store.secret,
                              config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
        direct.create_bucket(Bucket="bucket")
        direct.put_object(Bucket="bucket", Key="hello.txt", Body=b"hello\n")
        self.person.allow(allow("bucket", "s3.test", "bucket", paths=["/bucket", "/bucket/**"]))
        self.person.bind(("bucket", "s3.test", store.key, "{sigv4: {services: [s3], regions: [us-east-1]}}",
                          "{aws_env: AWS, files: [aws]}"))
        library = ("import boto3; print(boto3.client('s3', endpoint_url='https://s3.test').get_object("
                   "Bucket='bucket', Key='hello.txt')['Body'].read().decode())")
        for command in (["/usr/bin/aws", "--endpoint-url", "https://s3.test", "s3", "cp", "s3://bucket/hello.txt", "-"],
                        ["/usr/bin/python3", "-c", library]):
            outcome = self.person.run(*NO_KEYS, *command)
            self.assert_exit(outcome, 0)
            self.assertEqual(outcome.stdout.strip(), "hello")
            self.assert_no_secret(outcome.stdout + outcome.stderr, "what the client printed")

    def test_files_are_the_commands_own_and_hold_what_the_variable_holds(self):
        self.bind("{bearer: {}}", '[npmrc, {path: .config/tool/token.toml, content: "[a]\\ntoken = \'{}\'\\n"}]')
        outcome = self.run_in([], "/bin/sh", "-c", 'cd && cat .config/tool/token.toml .npmrc && echo "$FILES" && '
                              "stat -c %a .npmrc .config && find . -type f | sort")
        self.assert_exit(outcome, 0)
        table, token, npm, value, *rest = outcome.stdout.splitlines()
        self.assertRegex(value, "^ph_[A-Z0-9_]+$")
        self.assertEqual((table, token, npm),
                         ("[a]", f"token = '{value}'", f"//files.test/:_authToken={value}"))
        self.assertEqual(rest[:2], ["600", "700"])

    def test_a_placeholder_of_a_file_is_refused_elsewhere(self):
        self.bind("{bearer: {}}", "[netrc]")
        self.person.allow(allow("files", "files.test", "files", methods=["GET"]), allow("s3", "s3.test", paths=["/**"]))
        outcome = self.run_in([], "/bin/sh", "-c", "sed -i s/files.test/s3.test/ ~/.netrc && "
                              "curl -s -o /dev/null -w %{http_code} --netrc https://s3.test/")
        self.assertEqual(outcome.stdout, "403")
        self.assertEqual(outcome.requests()[-1]["reason"], "placeholder-unbound")


if __name__ == "__main__":
    main()

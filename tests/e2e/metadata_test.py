#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SDKs that ask a metadata service of their cloud find one that answers with the task's placeholder, with the proxy
variables and without them. What such a service refuses is refused, and the real one is never reached."""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.aduana import PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.listening import Listening
from support.serving import Serving
from support.signature_server import KEY_ID, SECRET, TOKEN, SignatureServer
from support.tls_server import Handler, TlsServer

STORE, CLOUD = "127.0.0.41", "127.0.0.42"
INSTANCE, CONTAINERS = "169.254.169.254", "169.254.170.2"
REAL = "the-real-access-token-5e21"
WAYS = ([], WITHOUT_PROXY)
SIGNS = "{sigv4: {services: [s3], regions: [eu-west-1]}}"
ROLE = f"http://{INSTANCE}/latest/meta-data/iam/security-credentials/"
ACCOUNT = f"http://{INSTANCE}/computeMetadata/v1/instance/service-accounts/default"
IDENTITY = f"http://{INSTANCE}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://cloud.test"

BOTO3 = """
import boto3
from botocore.config import Config
session = boto3.Session()
s3 = session.client("s3", endpoint_url="https://store.test", region_name="eu-west-1",
                    config=Config(s3={"addressing_style": "path"}))
s3.get_object(Bucket="bucket", Key="a")["Body"].read()
answer = s3.get_object(Bucket="bucket", Key="a b")["Body"].read().decode()
print(session.get_credentials().method, answer.split()[0], session.get_credentials().get_frozen_credentials().token)
"""
GOOGLE_AUTH = """
import google.auth
from google.auth.transport.requests import AuthorizedSession
credentials, project = google.auth.default()
answer = AuthorizedSession(credentials).get("https://cloud.test/o")
print(type(credentials).__module__, project, answer.status_code, answer.text, credentials.token)
"""
SERVICE_ACCOUNT = GOOGLE_AUTH.replace("google.auth.default()",
                                      "google.auth.default(scopes=['https://scope.test/all'])")
# What the services answer is what the variables hold.
SAME = """
import json, os, urllib.request

def ask(url, **fields):
    return json.load(urllib.request.urlopen(urllib.request.Request(url, headers=fields)))

held = os.environ
key = ask(held["AWS_CONTAINER_CREDENTIALS_FULL_URI"], Authorization=held["AWS_CONTAINER_AUTHORIZATION_TOKEN"])
place = "http://" + held["GCE_METADATA_HOST"] + "/computeMetadata/v1/instance/service-accounts/default/token"
token = ask(place, **{"Metadata-Flavor": "Google"})
answered = [key["AccessKeyId"], key["SecretAccessKey"], key["Token"], token["access_token"]]
names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "CLOUD_TOKEN"]
print(answered == [held[name] for name in names], held["GCE_METADATA_ROOT"])
"""


class Cloud(Handler):
    """Answers to the real token alone."""

    def do_GET(self):
        good = self.headers["Authorization"] == f"Bearer {REAL}"
        body = b"served" if good else b"refused"
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Witness(BaseHTTPRequestHandler):
    """The metadata service of the machine that aduana runs on, which nobody should ever ask."""

    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"real")

    do_PUT = do_GET

    def log_message(self, *arguments):
        pass


class MetadataServices(EndToEnd):
    wanted = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for server in (SignatureServer(cls.upstreams.authority, STORE),
                       TlsServer(Cloud, cls.upstreams.authority, CLOUD, "cloud.test")):
            cls.addClassCleanup(server.stop)
        for address in (INSTANCE, CONTAINERS):
            subprocess.run(["ip", "addr", "add", f"{address}/32", "dev", "lo"], check=True)
            witness = ThreadingHTTPServer((address, 80), Witness)
            threading.Thread(target=witness.serve_forever, daemon=True).start()
            cls.addClassCleanup(witness.shutdown)

    def setUp(self):
        super().setUp()
        self.person.operate(store_test=STORE, cloud_test=CLOUD)
        self.person.allow(allow("store", "store.test", "store"), allow("cloud", "cloud.test", "cloud"))
        Witness.asked.clear()
        self.addCleanup(lambda: self.assertEqual(Witness.asked, [], "the real service was asked"))

    def bind(self, of_store=None, of_cloud=None, stem="STORE", files=""):
        """By default the variables are none that an SDK looks at."""
        store = f"{{aws_env: {stem}" + (f", metadata: {of_store}}}" if of_store else "}")
        cloud = "{env: [CLOUD_TOKEN], prefix: ya29_" + (f", metadata: {of_cloud}{files}}}" if of_cloud else "}")
        self.person.bind(("store", "store.test", f"{KEY_ID},{SECRET},{TOKEN}", SIGNS, store),
                         ("cloud", "cloud.test", REAL, "{bearer: {}}", cloud))

    def run_in(self, way, *command, **more):
        outcome = self.person.run(*way, *command, **more)
        for secret in (SECRET, TOKEN, KEY_ID, REAL):
            self.assertNotIn(secret, outcome.stdout + outcome.stderr, "a secret is visible in the sandbox")
        self.assert_sound(outcome)
        return outcome

    def answered(self, outcome):
        """The paths that a metadata service answered, and with which status."""
        records = [r for r in outcome.requests() if r["reason"] == "metadata-answered"]
        for record in records:
            self.assertEqual((record["decision"], record.get("upstream_ip", "")), ("allow", ""), record)
        return [(record["path"], record["status"]) for record in records]

    def curl(self, way, *arguments):
        """(status, body, outcome)"""
        outcome = self.run_in(way, "/usr/bin/curl", "-sS", "-w", "\\n%{http_code}", *arguments)
        self.assert_exit(outcome, 0)
        body, status = outcome.stdout.rsplit("\n", 1)
        return int(status), body, outcome

    def test_boto3_signs_with_the_credentials_of_its_container(self):
        self.bind("ecs")
        for way in WAYS:
            outcome = self.run_in(way, PYTHON, "-c", BOTO3)
            self.assert_exit(outcome, 0)
            self.assertRegex(outcome.stdout, r"\Acontainer-role 0 EGP_[A-Z2-7]{26}\n\Z")
            self.assertEqual(self.answered(outcome), [("/aduana/credentials", 200)])
            self.assertEqual([r["credential"] for r in outcome.requests() if r["reason"] == "allowed"], ["store"] * 2)

    def test_boto3_signs_with_the_credentials_of_its_instance(self):
        self.bind("imds")
        for way in WAYS:
            outcome = self.run_in(way, PYTHON, "-c", BOTO3)
            self.assert_exit(outcome, 0)
            self.assertRegex(outcome.stdout, r"\Aiam-role 0 EGP_[A-Z2-7]{26}\n\Z")
            path = "/latest/meta-data/iam/security-credentials/"
            self.assertEqual(self.answered(outcome),
                             [("/latest/api/token", 200), (path, 200), (path + "aduana", 200)])

    def test_google_auth_finds_a_service_account(self):
        self.bind(of_cloud="gcp")
        for way in WAYS:
            outcome = self.run_in(way, PYTHON, "-c", GOOGLE_AUTH)
            self.assert_exit(outcome, 0)
            self.assertRegex(outcome.stdout,
                             r"\Agoogle.auth.compute_engine.credentials None 200 served ya29_EGP_[A-Z2-7]{26}\n\Z")
            paths = [path for path, status in self.answered(outcome) if status == 200]
            self.assertIn("/", paths)
            self.assertIn("/computeMetadata/v1/instance/service-accounts/task@aduana.invalid/token", paths)

    def test_the_token_of_a_managed_identity_is_one_where_it_is_for(self):
        self.bind(of_cloud="azure")
        script = (f"curl -sS -H 'Metadata: true' '{IDENTITY}' | tr ',:' '\\n\\n' | grep EGP_ | tr -d '\"' >token\n"
                  "[ \"$(cat token)\" = \"$CLOUD_TOKEN\" ] || exit 3\n"
                  "curl -sS -H \"Authorization: Bearer $(cat token)\" https://cloud.test/o\n")
        for way in WAYS:
            outcome = self.run_in(way, "/bin/sh", "-c", script)
            self.assert_exit(outcome, 0)
            self.assertEqual(outcome.stdout, "served")
            self.assertEqual(self.answered(outcome), [("/metadata/identity/oauth2/token", 200)])

    def test_google_auth_reads_a_service_account_from_its_file(self):
        self.bind(of_cloud="gcp", files=", files: [gcp]")
        for way in WAYS:
            outcome = self.run_in(way, PYTHON, "-c", SERVICE_ACCOUNT)
            self.assert_exit(outcome, 0)
            self.assertRegex(outcome.stdout,
                             r"\Agoogle.oauth2.service_account aduana 200 served ya29_EGP_[A-Z2-7]{26}\n\Z")
            self.assertEqual(self.answered(outcome), [("/aduana/token", 200)])

    def test_what_a_service_answers_is_what_the_variables_hold(self):
        self.bind("ecs", "gcp", stem="AWS")
        for way in WAYS:
            outcome = self.run_in(way, PYTHON, "-c", SAME,
                                  options=("--env", "GCE_METADATA_HOST=10.9.8.7", "--env", "GCE_METADATA_ROOT=x.test"))
            self.assert_exit(outcome, 0)
            self.assertEqual(outcome.stdout, f"True {INSTANCE}\n")

    def test_the_first_version_of_instance_metadata_is_refused(self):
        self.bind("imds", "azure")
        for way in WAYS:
            for url in (ROLE, ROLE + "aduana"):
                status, body, outcome = self.curl(way, url)
                self.assertEqual((status, self.answered(outcome)[0][1]), (401, 401), body)
            self.assertEqual(self.curl(way, "-H", "X-aws-ec2-metadata-token: guessed", ROLE)[0], 401)
            self.assertEqual(self.curl(way, "-X", "PUT", "-H", "X-aws-ec2-metadata-token-ttl-seconds: 21601",
                                       f"http://{INSTANCE}/latest/api/token")[0], 400)
            script = ("token=$(curl -sS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' "
                      f"http://{INSTANCE}/latest/api/token) && curl -sS -H \"X-aws-ec2-metadata-token: $token\" "
                      f"http://{INSTANCE}/latest/meta-data/placement/region")
            self.assertEqual(self.run_in(way, "/bin/sh", "-c", script).stdout, "eu-west-1")

    def test_a_request_that_somebody_passed_on_is_refused(self):
        self.bind("imds", "gcp")
        for way in WAYS:
            for arguments in (["-X", "PUT", "-H", "X-aws-ec2-metadata-token-ttl-seconds: 60",
                               f"http://{INSTANCE}/latest/api/token"],
                              ["-H", "Metadata-Flavor: Google", ACCOUNT + "/token"]):
                self.assertEqual(self.curl(way, *arguments)[0], 200)
                status, body, _ = self.curl(way, "-H", "X-Forwarded-For: 10.0.0.1", *arguments)
                self.assertEqual(status, 403, body)
                self.assertNotIn("EGP_", body)
            self.assertEqual(self.curl(way, ACCOUNT + "/token")[0], 403)

    def test_without_its_token_a_container_gets_nothing(self):
        self.bind("ecs")
        for way in WAYS:
            for arguments, wanted in (([], 401), (["-H", "Authorization: guessed"], 403)):
                status, body, outcome = self.curl(way, *arguments, f"http://{CONTAINERS}/aduana/credentials")
                self.assertEqual(status, wanted)
                self.assertNotIn("EGP_", body)
                self.assertEqual(self.answered(outcome), [("/aduana/credentials", wanted)])

    def test_what_is_asked_for_besides_is_not_found(self):
        self.bind(of_cloud="azure")
        for way in WAYS:
            status, body, outcome = self.curl(way, "-H", "Metadata: true", f"http://{INSTANCE}/metadata/instance")
            self.assertEqual((status, json.loads(body)["error"]), (404, "not_found"))
            self.assertEqual(self.answered(outcome), [("/metadata/instance", 404)])
            self.assertEqual(self.curl(way, f"http://{INSTANCE}/latest/meta-data/")[0], 404)
            self.assertEqual(self.curl(way, "-I", "-H", "Metadata: true", IDENTITY)[0], 200)
            # A body that nobody reads is no next request.
            posts = ["-H", "Metadata: true", "--data-binary", "@/usr/bin/env", f"http://{INSTANCE}/metadata/instance"]
            status, _, outcome = self.curl(way, *posts, "--next", "-sS", "-w", "\\n%{http_code}", *posts)
            self.assertEqual(status, 404)
            self.assertEqual(self.answered(outcome), [("/metadata/instance", 404)] * 2)

    def test_http2_is_spoken_as_well(self):
        self.bind(of_cloud="gcp")
        for way in (["-p", "-x", "http://198.18.0.1:3128"], ["--noproxy", "*"]):
            status, body, outcome = self.curl([], *way, "--http2-prior-knowledge", "-H", "Metadata-Flavor: Google",
                                              ACCOUNT + "/token")
            self.assertEqual(status, 200, body)
            self.assertIn("EGP_", body)
            self.assertEqual([r["protocol"] for r in outcome.requests()], ["h2"])

    def test_a_task_without_one_is_refused_as_ever(self):
        self.bind()
        everything = "  - {name: all, hosts: [169.254.169.254, 169.254.170.2], scheme: http, addresses: [0.0.0.0/0]}\n"
        self.person.allow(allow("store", "store.test", "store"), everything)
        for way in WAYS:
            for address in (INSTANCE, CONTAINERS):
                status, body, outcome = self.curl(way, f"http://{address}/aduana/credentials")
                self.assertEqual(status, 403, body)
                self.assertEqual([r["reason"] for r in outcome.requests()], ["address-metadata"])
        # Nor does one service open the address of another.
        self.bind("ecs")
        status, body, outcome = self.curl([], f"http://{INSTANCE}/latest/meta-data/")
        self.assertEqual([r["reason"] for r in outcome.requests()], ["address-metadata"])

    def test_a_deny_rule_closes_it(self):
        self.bind(of_cloud="azure")
        never = "deny:\n  - {name: never, hosts: [169.254.169.254], paths: [/metadata/identity/**]}\n"
        self.person.allow(allow("cloud", "cloud.test", "cloud"), rest=never)
        for way in WAYS:
            status, body, outcome = self.curl(way, "-H", "Metadata: true", IDENTITY)
            self.assertEqual(status, 403, body)
            self.assertNotIn("EGP_", body)
            self.assertEqual([r["reason"] for r in outcome.requests()], ["denied-by-rule"])
            self.assertEqual(self.curl(way, "-H", "Metadata: true", f"http://{INSTANCE}/metadata/instance")[0], 404)

    def test_tasks_that_share_a_proxy_share_no_service(self):
        self.bind("ecs")
        serving = Serving(self.person, "--config", str(self.person.operator))
        self.addCleanup(serving.stop)
        outcome = self.run_in([], PYTHON, "-c", BOTO3)
        self.assertTrue(outcome.stdout.startswith("container-role 0 EGP_"), str(outcome))
        others = self.run_in([], "/usr/bin/printenv", "AWS_CONTAINER_AUTHORIZATION_TOKEN").stdout.strip()
        self.assertRegex(others, r"\A[0-9a-f]{64}\Z")
        for way in WAYS:
            place = f"http://{CONTAINERS}/aduana/credentials"
            self.assertEqual(self.curl(way, "-H", f"Authorization: {others}", place)[0], 403)

    def test_a_program_outside_of_a_sandbox_asks_through_the_proxy(self):
        self.bind("ecs")
        listening = Listening(self.person)
        self.addCleanup(listening.stop)
        told = listening.variables()
        done = listening.curl("-H", f"Authorization: {told['AWS_CONTAINER_AUTHORIZATION_TOKEN']}",
                              told["AWS_CONTAINER_CREDENTIALS_FULL_URI"])
        self.assertEqual(json.loads(done.stdout)["Token"], told["STORE_SESSION_TOKEN"], done.stdout + done.stderr)


if __name__ == "__main__":
    main()

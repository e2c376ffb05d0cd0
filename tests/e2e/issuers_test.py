# SPDX-License-Identifier: Apache-2.0
"""The dialogues with issuers against a real OAuth server: this program only carries the calls."""

import base64
import contextlib
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import case
from support.authority import Authority
from support.oidc_provider import OidcProvider

ADDRESS = "127.0.0.1"
DECLARATION = """version: 1
credentials:
  it:
    source: {{oauth2: {{token_url: "https://idp.test/token", {source}}}}}
    destinations: [{{hosts: [api.test]}}]
    inject: {{bearer: {{}}}}
"""
EXCHANGE = "{token_exchange: {subject_token: {file: SUBJECT}, requested_token_type: access_token}}"


class Carrier:
    """Opens TLS to the one server that there is, verified for the name of the call."""

    def __init__(self, authority, folder):
        self.authority = authority
        self.folder = Path(folder)

    def carry(self, call):
        context = ssl.create_default_context(cafile=self.authority.certificate)
        if call["certificate"]:
            chain, key = self.folder / "chain", self.folder / "key"
            chain.write_text(call["certificate"])
            key.write_text(call["key"])
            context.load_cert_chain(chain, key)
        connection = http.client.HTTPSConnection(ADDRESS, call["port"], context=context, timeout=20)
        connection._create_connection = lambda place, *rest: http.client.socket.create_connection((ADDRESS, place[1]))
        connection.host = call["host"]
        with contextlib.closing(connection):
            return self.exchange(connection, call)

    @staticmethod
    def exchange(connection, call):
        connection.putrequest(call["method"], call["target"], skip_host=True, skip_accept_encoding=True)
        for name, value in [["Host", call["host"]], *call["fields"], ["Content-Length", str(len(call["body"]))]]:
            connection.putheader(name, value)
        connection.endheaders(call["body"].encode())
        response = connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return {"status": response.status, "fields": fields, "body": response.read().decode()}


class Issuers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
        if int(version.lstrip("v").split(".")[0]) < 20:
            raise unittest.SkipTest(f"oidc-provider needs Node.js 20 or newer, and this is {version.strip()}")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.authority = Authority(cls.folder / "ca")
        cls.provider = OidcProvider(cls.folder / "idp", cls.authority, ADDRESS)
        cls.addClassCleanup(cls.provider.stop)
        cls.carrier = Carrier(cls.authority, cls.folder)
        for name, value in (("SECRET", cls.provider.secret), ("SUBJECT", "subject-0123456789"), ("WRONG", "no" * 8),
                            ("REFRESH", cls.provider.refresh_token), ("KEY", cls.provider.client_key.read_text()),
                            ("CERT", Path(cls.provider.identity[0]).read_text()),
                            ("TLS", Path(cls.provider.identity[1]).read_text())):
            (cls.folder / name).write_text(value + "\n")

    def talk(self, source):
        """What the dialogue ends with, and all calls and answers of it."""
        declaration = self.folder / "credentials.yaml"
        for name in ("SECRET", "SUBJECT", "WRONG", "REFRESH", "KEY", "CERT", "TLS"):
            source = source.replace(f"file: {name}}}", f"file: {self.folder / name}}}")
        declaration.write_text(DECLARATION.format(source=source))
        program = Path(os.environ["ADUANA_BIN"]) / "issuer_dialogue"
        end, exchanges = None, []
        with subprocess.Popen([program, declaration, "it"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            for line in process.stdout:
                step = json.loads(line)
                if "call" not in step:
                    end = step
                    continue
                exchanges.append((step["call"], self.carrier.carry(step["call"])))
                process.stdin.write(json.dumps(exchanges[-1][1]) + "\n")
                process.stdin.flush()
        return end, exchanges

    def issued(self, source):
        end, exchanges = self.talk(source)
        self.assertIsNotNone(end, "the dialogue says nothing")
        self.assertIn("issued", end, f"{end} after {exchanges[-1][1]}")
        return end["issued"], exchanges

    def test_every_method_of_authentication_is_accepted(self):
        methods = {
            "basic:1": "auth: {client_secret_basic: {secret: {file: SECRET}}}",
            "post": "auth: {client_secret_post: {secret: {file: SECRET}}}",
            "signed": "auth: {private_key_jwt: {key: {file: KEY}, algorithm: ES256, key_id: client-key}}",
            "mutual": "auth: {tls_client_auth: {certificate: {file: CERT}, key: {file: TLS}}}",
        }
        for client, method in methods.items():
            with self.subTest(client):
                issued, _ = self.issued(f'client_id: "{client}", {method}, scope: ["api:read"], '
                                        'resource: ["https://api.test/"]')
                self.assertEqual(issued["lifetime"], 20)
                claims = issued["token"].split(".")[1]
                claims = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
                self.assertEqual((claims["scope"], claims["aud"]), ("api:read", "https://api.test/"))

    def test_an_unencoded_basic_secret_is_refused_by_a_server_that_reads_the_rfc(self):
        end, _ = self.talk("client_id: post, auth: {client_secret_basic: {secret: {file: SECRET}, encoding: raw}}")
        self.assertEqual(end["denied"]["detail"], "the token endpoint idp.test refuses: invalid_client (status 401)")

    def test_a_scope_that_is_dropped_in_silence_is_noticed(self):
        for scope, says in (("unknown", "no scope, or does not say which"),
                            ('"api:read", unknown', "a narrower scope than was asked for")):
            end, exchanges = self.talk("client_id: post, auth: {client_secret_post: {secret: {file: SECRET}}}, "
                                       f"scope: [{scope}]")
            self.assertEqual(exchanges[0][1]["status"], 200)
            self.assertEqual(end["denied"]["detail"], "the token endpoint idp.test grants " + says)

    def test_a_bound_token_takes_one_more_call_for_the_nonce(self):
        _, exchanges = self.issued('client_id: bound, auth: {client_secret_basic: {secret: {file: SECRET}}}, '
                                   'dpop: true, scope: ["api:write"], resource: ["https://api.test/"]')
        self.assertEqual([answer["status"] for _, answer in exchanges], [400, 200])
        self.assertEqual(json.loads(exchanges[1][1]["body"])["token_type"], "DPoP")

    def test_a_token_is_exchanged(self):
        client = ('client_id: exchanger, auth: {client_secret_basic: {secret: {file: SECRET}}}, '
                  'scope: ["api:read"], ')
        self.issued(client + "grant: " + EXCHANGE)
        end, _ = self.talk(client + "grant: " + EXCHANGE.replace("SUBJECT", "WRONG"))
        self.assertEqual(end["denied"]["detail"], "the token endpoint idp.test refuses: invalid_grant (status 400)")

    def test_a_refresh_token_rotates_and_the_old_one_is_worth_nothing(self):
        client = "client_id: refresher, auth: {client_secret_basic: {secret: {file: SECRET}}}, "
        issued, _ = self.issued(client + "grant: {refresh_token: {token: {file: REFRESH}}}")
        self.assertNotIn(issued["refresh_token"], ("", self.provider.refresh_token))
        end, _ = self.talk(client + "grant: {refresh_token: {token: {file: REFRESH}}}")
        self.assertIn("invalid_grant", end["denied"]["detail"])

    def test_a_token_is_taken_back(self):
        _, exchanges = self.issued('client_id: post, auth: {client_secret_post: {secret: {file: SECRET}}}, '
                                   'revoke_url: "https://idp.test/token/revocation"')
        self.assertEqual(exchanges[-1][0]["target"], "/token/revocation")
        self.assertEqual(exchanges[-1][1]["status"], 200)


if __name__ == "__main__":
    case.main()

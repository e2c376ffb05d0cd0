#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that sign for S3, against a store that verifies signatures, with placeholders for keys: put, get, list,
multipart and streams. Keys of their own, other services and other regions are refused in words."""

import json
import unittest
from pathlib import Path

import boto3
from botocore.config import Config

from support.aduana import NODE, PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.npm_registry import installed_packages

PROGRAMS = Path(__file__).resolve().parents[1] / "clients/s3"
MOUNTS = ["--ro", f"{PROGRAMS}:/srv/s3"]
AWS = ["/usr/bin/aws", "--endpoint-url", "https://s3.test", "--region", "us-east-1"]
SIGNS = "{sigv4: {services: [s3], regions: [us-east-1]}}"


class SigningForS3(EndToEnd):
    wanted = ("s3",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        store = cls.upstreams.s3
        cls.direct = boto3.client("s3", endpoint_url="http://127.0.0.1:8080", region_name=store.region,
                                  aws_access_key_id=f"{store.account}:{store.user}",
                                  aws_secret_access_key=store.secret,
                                  config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
        cls.direct.create_bucket(Bucket="bucket")
        cls.direct.put_object(Bucket="bucket", Key="hello.txt", Body=b"hello\n")

    def setUp(self):
        super().setUp()
        self.bind(SIGNS)

    def bind(self, inject):
        self.person.allow(allow("bucket", "s3.test", "bucket", paths=["/bucket", "/bucket/**"]))
        self.person.bind(("bucket", "s3.test", self.upstreams.s3.key, inject, "{aws_env: AWS}"))

    def assert_served(self, outcome):
        self.assert_exit(outcome, 0)
        requests = outcome.requests()
        self.assertTrue(requests)
        for request in requests:
            self.assertEqual((request["decision"], request["credential"]), ("intercept", "bucket"))
        self.assert_no_secret(outcome.stdout + outcome.stderr, "what the client printed")

    def assert_refused(self, outcome, words):
        self.assertNotEqual(outcome.exit, 0, str(outcome))
        self.assertEqual({r["reason"] for r in outcome.requests()}, {"credential-foreign"}, str(outcome))
        self.assertIn(words, outcome.requests()[0]["error"])

    def test_boto3_does_all_that_it_can(self):
        for prefix in ([], WITHOUT_PROXY):
            outcome = self.person.run(*prefix, PYTHON, "/srv/s3/boto.py", options=MOUNTS)
            self.assert_served(outcome)
            self.assertEqual(outcome.stdout, "done\n")

    def test_the_aws_cli_copies_both_ways(self):
        (self.person.work / "large").write_bytes(b"0123456789abcdef" * (10 * 65536))
        copies = " && ".join(" ".join(AWS + ["s3", *rest]) for rest in (
            ["cp", "large", "s3://bucket/cli/large"], ["cp", "s3://bucket/cli/large", "back"],
            ["ls", "s3://bucket/cli/"]))
        outcome = self.person.run("/bin/sh", "-c", f"{copies} && cmp large back && date | {' '.join(AWS)} s3 cp - "
                                  "s3://bucket/cli/stream")
        self.assert_served(outcome)
        self.assertIn("large", outcome.stdout)
        stored = [entry["Key"] for entry in self.direct.list_objects_v2(Bucket="bucket", Prefix="cli/")["Contents"]]
        self.assertEqual(stored, ["cli/large", "cli/stream"])

    def test_the_sdk_for_node_does_all_that_it_can(self):
        options = MOUNTS + ["--ro", f"{installed_packages() / 'node_modules'}:/srv/node_modules"]
        outcome = self.person.run(NODE, "/srv/s3/sdk.mjs", options=options)
        self.assert_served(outcome)
        self.assertEqual(outcome.stdout, "done\n")

    def narrow(self, flags):
        preset = {"s3": {"bucket": "bucket", **flags}}
        self.person.allow(allow("bucket", "s3.test", "bucket", preset=preset))
        text = self.person.credentials.read_text()
        bound = f"hosts: [s3.test], preset: {json.dumps(preset)}"
        self.person.credentials.write_text(text.replace("hosts: [s3.test]", bound))

    def test_the_preset_lets_through_what_is_done_with_objects(self):
        self.narrow({"write": True, "delete": True})
        outcome = self.person.run(PYTHON, "/srv/s3/boto.py", options=MOUNTS)
        self.assert_served(outcome)
        self.assertEqual(outcome.stdout, "done\n")

    def test_the_preset_keeps_the_bucket_and_what_shares_an_object_closed(self):
        self.narrow({"write": True})
        outcome = self.person.run(PYTHON, "/srv/s3/beyond.py", options=MOUNTS)
        self.assert_exit(outcome, 0)
        refused = [json.loads(line) for line in outcome.stdout.splitlines()]
        self.assertEqual(refused, [
            ["put_object", 200], ["put_bucket_policy", 403], ["put_bucket_acl", 403], ["get_bucket_acl", 403],
            ["put_bucket_website", 403], ["put_object with an ACL", 403], ["copy_object", 403], ["create_bucket", 403],
            ["delete_bucket", 403], ["delete_object", 403], ["delete_objects", 403]])
        reasons = [request["reason"] for request in outcome.requests()]
        self.assertEqual(reasons, ["allowed"] + ["closed-by-preset"] * 10)
        self.assertIn('the parameter "policy" of the query', outcome.stderr)
        self.assertEqual(self.direct.get_object(Bucket="bucket", Key="beyond")["Body"].read(), b"put")

    def test_the_sandbox_holds_placeholders_and_nothing_else(self):
        outcome = self.person.run("/usr/bin/env")
        self.assert_exit(outcome, 0)
        held = dict(line.split("=", 1) for line in outcome.stdout.splitlines() if line.startswith("AWS_"))
        self.assertRegex(held["AWS_ACCESS_KEY_ID"], r"\AAKIA[A-Z2-7]{16}\Z")
        self.assertRegex(held["AWS_SECRET_ACCESS_KEY"], r"\A[A-Z2-7]{40}\Z")
        self.assertTrue(held["AWS_SESSION_TOKEN"].startswith("EGP_"))
        self.assert_no_secret(outcome.stdout, "the environment")

    def test_keys_of_its_own_are_refused(self):
        own = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": self.upstreams.s3.secret}
        given = [f"{name}={value}" for name, value in own.items()]
        outcome = self.person.run("/usr/bin/env", *given, *AWS, "s3", "ls", "s3://bucket/")
        self.assert_refused(outcome, "is not this task's placeholder")
        self.assertIn("403", outcome.stderr)

    def test_without_a_signature_nothing_is_sent(self):
        outcome = self.person.run(*AWS, "--no-sign-request", "s3", "ls", "s3://bucket/")
        self.assert_refused(outcome, "the request is not signed")

    def test_another_region_is_refused(self):
        outcome = self.person.run(*AWS[:-1], "eu-west-1", "s3", "ls", "s3://bucket/")
        self.assert_refused(outcome, 'signed for the region "eu-west-1", and it is for us-east-1')

    def test_another_task_of_the_same_person_has_another_key(self):
        keys = {self.person.run("/usr/bin/printenv", "AWS_ACCESS_KEY_ID").stdout for _ in range(2)}
        self.assertEqual(len(keys), 2)

    def presigned(self):
        source = ("import boto3, urllib.request\n"
                  "from botocore.config import Config\n"
                  "s3 = boto3.client('s3', endpoint_url='https://s3.test', region_name='us-east-1',\n"
                  "                  config=Config(signature_version='s3v4', s3={'addressing_style': 'path'}))\n"
                  "url = s3.generate_presigned_url('get_object', {'Bucket': 'bucket', 'Key': 'hello.txt'})\n"
                  "print(urllib.request.urlopen(url).read())\n")
        return self.person.python(source)

    def test_a_signed_url_is_refused_by_default(self):
        self.assert_refused(self.presigned(), "`presign` is deny")

    def test_a_signed_url_is_signed_anew_where_it_is_allowed(self):
        self.bind(SIGNS.replace("}}", ", presign: allow}}"))
        outcome = self.presigned()
        self.assert_served(outcome)
        self.assertEqual(outcome.stdout, "b'hello\\n'\n")
        self.assertNotIn("X-Amz-Signature=", json.dumps(outcome.events()))


if __name__ == "__main__":
    main()

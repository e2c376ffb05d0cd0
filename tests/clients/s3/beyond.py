# SPDX-License-Identifier: Apache-2.0
"""What boto3 can do to a bucket beside putting objects into it: each call, and the status of its answer."""

import json

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

s3 = boto3.client("s3", endpoint_url="https://s3.test", region_name="us-east-1",
                  config=Config(signature_version="s3v4", s3={"addressing_style": "path"},
                                retries={"max_attempts": 1, "mode": "standard"}))
BUCKET = {"Bucket": "bucket"}
OBJECT = {**BUCKET, "Key": "beyond"}
SITE = {"IndexDocument": {"Suffix": "index.html"}}
CALLS = [
    ("put_object", s3.put_object, {**OBJECT, "Body": b"put"}),
    ("put_bucket_policy", s3.put_bucket_policy, {**BUCKET, "Policy": "{}"}),
    ("put_bucket_acl", s3.put_bucket_acl, {**BUCKET, "ACL": "public-read"}),
    ("get_bucket_acl", s3.get_bucket_acl, BUCKET),
    ("put_bucket_website", s3.put_bucket_website, {**BUCKET, "WebsiteConfiguration": SITE}),
    ("put_object with an ACL", s3.put_object, {**OBJECT, "Body": b"shared", "ACL": "public-read"}),
    ("copy_object", s3.copy_object, {**OBJECT, "CopySource": "other/secret"}),
    ("create_bucket", s3.create_bucket, BUCKET),
    ("delete_bucket", s3.delete_bucket, BUCKET),
    ("delete_object", s3.delete_object, OBJECT),
    ("delete_objects", s3.delete_objects, {**BUCKET, "Delete": {"Objects": [{"Key": "beyond"}]}}),
]

for name, call, arguments in CALLS:
    try:
        status = call(**arguments)["ResponseMetadata"]["HTTPStatusCode"]
    except ClientError as error:
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    print(json.dumps([name, status]))

# SPDX-License-Identifier: Apache-2.0
"""boto3 with the keys of its environment: put, get, list, multipart, a stream, and a slice."""

import io
import sys

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

BUCKET, MIB = "bucket", 1024 * 1024

s3 = boto3.client("s3", endpoint_url="https://s3.test", region_name="us-east-1",
                  config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))


class Stream(io.RawIOBase):
    """Cannot be sought in: the client does not know its length."""

    def __init__(self, data):
        self.data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.data.readinto(buffer)


def read(name):
    return s3.get_object(Bucket=BUCKET, Key=name)["Body"].read()


name = "boto/a b+c/ü&=~(1).txt"
s3.put_object(Bucket=BUCKET, Key=name, Body=b"put", Metadata={"note": "two  words"}, ContentType="text/plain")
assert read(name) == b"put"
assert s3.head_object(Bucket=BUCKET, Key=name)["Metadata"] == {"note": "two  words"}
assert s3.get_object(Bucket=BUCKET, Key=name, Range="bytes=1-2")["Body"].read() == b"ut"

large = bytes(range(256)) * (11 * MIB // 256)
parts = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)
s3.upload_fileobj(io.BytesIO(large), BUCKET, "boto/large", Config=parts)
target = io.BytesIO()
s3.download_fileobj(BUCKET, "boto/large", target, Config=parts)
assert target.getvalue() == large

s3.upload_fileobj(Stream(large[:MIB]), BUCKET, "boto/stream")
assert read("boto/stream") == large[:MIB]

listed = [entry["Key"] for entry in s3.list_objects_v2(Bucket=BUCKET, Prefix="boto/", MaxKeys=10)["Contents"]]
assert listed == sorted(listed) and name in listed and len(listed) == 3, listed
s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in listed]})
assert "Contents" not in s3.list_objects_v2(Bucket=BUCKET, Prefix="boto/")
print("done", file=sys.stdout)

# SPDX-License-Identifier: Apache-2.0
"""botocore: one object of an S3-like service."""
import sys

import botocore.session

s3 = botocore.session.get_session().create_client("s3", region_name="local", endpoint_url="https://s3.test",
                                                  aws_access_key_id="placeholder", aws_secret_access_key="placeholder")
print(s3.get_object(Bucket="bucket", Key=sys.argv[1])["Body"].read().decode())

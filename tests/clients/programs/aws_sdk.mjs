// SPDX-License-Identifier: Apache-2.0
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";

const credentials = { accessKeyId: "placeholder", secretAccessKey: "placeholder" };
const s3 = new S3Client({ endpoint: "https://s3.test", region: "local", forcePathStyle: true, credentials });
const object = await s3.send(new GetObjectCommand({ Bucket: "bucket", Key: process.argv[2] }));
console.log(await object.Body.transformToString());

// SPDX-License-Identifier: Apache-2.0
// @aws-sdk/client-s3 with the keys of its environment: put, get, list, multipart and a stream.
import assert from "node:assert";
import { Readable } from "node:stream";
import {
  CompleteMultipartUploadCommand, CreateMultipartUploadCommand, GetObjectCommand, ListObjectsV2Command,
  PutObjectCommand, S3Client, UploadPartCommand,
} from "@aws-sdk/client-s3";

const Bucket = "bucket";
const s3 = new S3Client({ endpoint: "https://s3.test", region: "us-east-1", forcePathStyle: true });
const send = (command) => s3.send(command);
const read = async (Key, more = {}) =>
  Buffer.from(await (await send(new GetObjectCommand({ Bucket, Key, ...more }))).Body.transformToByteArray());

const name = "sdk/a b+c/ü&=~(1).txt";
await send(new PutObjectCommand({ Bucket, Key: name, Body: "put", Metadata: { note: "words" } }));
assert.equal(String(await read(name)), "put");
assert.equal(String(await read(name, { Range: "bytes=1-2" })), "ut");

const chunk = Buffer.alloc(65536, "x");
const Body = Readable.from((function* () { for (let i = 0; i < 16; i += 1) yield chunk; })());
await send(new PutObjectCommand({ Bucket, Key: "sdk/stream", Body, ContentLength: 16 * chunk.length }));
assert.equal((await read("sdk/stream")).length, 16 * chunk.length);

const Key = "sdk/large";
const piece = Buffer.alloc(5 * 1024 * 1024, "y");
const { UploadId } = await send(new CreateMultipartUploadCommand({ Bucket, Key }));
const Parts = [];
for (const PartNumber of [1, 2]) {
  const { ETag } = await send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: piece }));
  Parts.push({ ETag, PartNumber });
}
await send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
assert.equal((await read(Key)).length, 2 * piece.length);

const listed = await send(new ListObjectsV2Command({ Bucket, Prefix: "sdk/" }));
assert.deepEqual(listed.Contents.map((entry) => entry.Key), [name, Key, "sdk/stream"]);
console.log("done");

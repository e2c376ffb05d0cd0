# SPDX-License-Identifier: Apache-2.0
"""grpcio: one call of a service without a schema."""
import sys

import grpc

with grpc.secure_channel(sys.argv[1], grpc.ssl_channel_credentials()) as channel:
    once = channel.unary_unary("/test.Echo/Once", request_serializer=str.encode, response_deserializer=bytes.decode)
    print(once("hello"))

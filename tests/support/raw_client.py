# SPDX-License-Identifier: Apache-2.0
"""Runs inside a sandbox, alone: sends the bytes of a file of cases, and prints one line of JSON for each.

    raw_client.py requests FILE    {way: base64}: those bytes, each time on a connection of their own
    raw_client.py responses FILE   [way, method, target, next target]: two requests, the second on the same connection
                                   if that is still open
"""

import base64
import json
import socket
import ssl
import sys

PROXY, HOST, PATIENCE = ("198.18.0.1", 3128), "a.test", 20


def connected(way):
    """A connection on which requests for HOST can be written: "connect" leads to its port 443, with TLS; "absolute" and
    "plain" (without the proxy's address) lead to its port 80."""
    place = (HOST, 80) if way == "plain" else PROXY
    connection = socket.create_connection(place, timeout=PATIENCE)
    if way == "connect":
        connection.sendall(f"CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}:443\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += connection.recv(1)
        connection = ssl.create_default_context().wrap_socket(connection, server_hostname=HOST)
    return connection


def send_and_read_all(way, sent):
    with connected(way) as connection:
        received, end = b"", "closed"
        try:
            connection.sendall(sent)
            while piece := connection.recv(65536):
                received += piece
        except TimeoutError:
            end = "open"
        except OSError:
            pass  # a reset is an end, too
    return {"received": base64.b64encode(received).decode(), "end": end}


class Broken(Exception):
    pass


def read_line(stream):
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise Broken
    return line[:-2]


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) != size:
        raise Broken
    return data


def read_response(stream, method):
    """(status, body, whether the connection goes on)."""
    while True:
        status = int(read_line(stream).split(b" ")[1])
        fields = {}
        while line := read_line(stream):
            name, _, value = line.partition(b": ")
            fields[name.lower()] = value.lower()
        if status >= 200:
            break
    goes_on = fields.get(b"connection") != b"close"
    if method == "HEAD" or status in (204, 304):
        return status, b"", goes_on
    if b"content-length" in fields:
        return status, read_exactly(stream, int(fields[b"content-length"])), goes_on
    if fields.get(b"transfer-encoding") != b"chunked":
        return status, stream.read(), False
    body = b""
    while size := int(read_line(stream), 16):
        body += read_exactly(stream, size)
        read_line(stream)
    while read_line(stream):
        pass
    return status, body, goes_on


def two_requests(way, method, target, following):
    first, second, connection = None, None, None
    for kind, path in ((method, target), ("GET", following)):
        try:
            if connection is None:
                connection = connected(way)
                stream = connection.makefile("rb")
            full = f"http://{HOST}{path}" if way == "absolute" else path
            connection.sendall(f"{kind} {full} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            status, body, goes_on = read_response(stream, kind)
            got = {"status": status, "body": base64.b64encode(body).decode()}
        except TimeoutError:
            got, goes_on = {"status": "nothing came"}, False
        except (Broken, OSError):
            got, goes_on = {"status": "broken"}, False
        if not goes_on and connection:
            connection.close()
            connection = None
        first, second = (got, None) if path == target else (first, got)
    return {"first": first, "next": second}


def main():
    for line in open(sys.argv[2]):
        case = json.loads(line)
        if sys.argv[1] == "requests":
            told = {way: send_and_read_all(way, base64.b64decode(sent)) for way, sent in case.items()}
        else:
            told = two_requests(*case)
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A name server of ours on UDP and TCP port 53: says what a test wants it to say, and remembers what it was asked. It
ends with its process."""

import socket
import struct
import threading

A, CNAME, AAAA = 1, 5, 28


def record(owner, kind, data):
    return owner + struct.pack("!HHIH", kind, 1, 0, len(data)) + data


def name_in(query):
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    return ".".join(labels).lower(), struct.unpack("!H", query[at + 1:at + 3])[0], at + 5


class NameServer:
    """`answers`: name -> list of addresses of both families and of "=other.name" for a CNAME, whose addresses follow;
    or a function that is called for each query and returns one. None: no answer at all. A name that is not there:
    NXDOMAIN. `truncate`: names that are answered over TCP only. Nothing may be kept: the TTL is 0."""

    def __init__(self, address, answers, truncate=()):
        self.answers, self.truncate, self.asked = answers, truncate, []
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for one in (self.udp, self.tcp):
            one.bind((address, 53))
        self.tcp.listen(8)
        for serve in (self.serve_udp, self.serve_tcp):
            threading.Thread(target=serve, daemon=True).start()

    def serve_udp(self):
        while True:
            query, peer = self.udp.recvfrom(4096)
            reply = self.reply(query, "udp")
            if reply:
                self.udp.sendto(reply, peer)

    def serve_tcp(self):
        while True:
            client, _ = self.tcp.accept()
            with client:
                size = client.recv(2)
                if len(size) == 2:
                    reply = self.reply(client.recv(struct.unpack("!H", size)[0]), "tcp")
                    if reply:
                        client.sendall(struct.pack("!H", len(reply)) + reply)

    def reply(self, query, transport):
        name, kind, end = name_in(query)
        self.asked.append((name, kind, transport))
        known = name in self.answers
        places = self.answers.get(name, [])
        places = places() if callable(places) else places
        if places is None:
            return None
        cut = transport == "udp" and name in self.truncate
        flags = 0x8180 | (0x0200 if cut else 0) | (0 if known else 3)
        records = [] if cut else list(self.records(kind, places))
        return query[:2] + struct.pack("!HHHHH", flags, 1, len(records), 0, 0) + query[12:end] + b"".join(records)

    def records(self, kind, places):
        owner = b"\xc0\x0c"
        for place in places:
            if place.startswith("="):
                alias = b"".join(bytes([len(label)]) + label.encode() for label in place[1:].split(".")) + b"\0"
                yield record(owner, CNAME, alias)
                owner = alias
            elif (kind == AAAA) == (":" in place) and kind in (A, AAAA):
                yield record(owner, kind, socket.inet_pton(socket.AF_INET6 if kind == AAAA else socket.AF_INET, place))

    def names(self):
        return {name for name, _, _ in self.asked}

# SPDX-License-Identifier: Apache-2.0
"""Things of the host that no sandbox may reach. Each answers whoever comes with a mark, and remembers being asked."""

import os
import secrets
import socket
import threading
from pathlib import Path

ETH_P_ALL, IPV6, ICMPV6, HOP_BY_HOP = 3, b"\x86\xdd", 58, 0


class Witness:
    """Threads that serve until the test program ends. `mark` is in every answer; `hits` names what was reached."""

    def __init__(self):
        self.mark = "witness-" + secrets.token_hex(8)
        self.hits = []

    def tcp(self, address, port):
        listener = socket.create_server((address, port), family=family_of(address))
        self._serve(self._accept, listener, f"tcp {address} {port}")

    def unix(self, path):
        """A path, or an abstract name that starts with @."""
        listener = socket.socket(socket.AF_UNIX)
        if not path.startswith("@"):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        listener.bind("\0" + path[1:] if path.startswith("@") else path)
        if not path.startswith("@"):
            os.chmod(path, 0o666)
        listener.listen()
        self._serve(self._accept, listener, f"unix {path}")

    def udp(self, address, port):
        bound = socket.socket(family_of(address), socket.SOCK_DGRAM)
        bound.bind((address, port))
        self._serve(self._receive, bound, f"udp {address} {port}")

    def link(self, name):
        """Every frame on a link, but for what IPv6 says by itself."""
        bound = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        bound.bind((name, 0))
        self._serve(self._watch, bound, f"link {name}")

    def _serve(self, loop, bound, name):
        threading.Thread(target=loop, args=(bound, name), daemon=True).start()

    def _accept(self, listener, name):
        while True:
            peer, _ = listener.accept()
            self.hits.append(name)
            with peer:
                peer.settimeout(2)
                try:
                    peer.recv(4096)
                    peer.sendall(f"HTTP/1.0 200 OK\r\nContent-Length: {len(self.mark)}\r\n\r\n{self.mark}".encode())
                except OSError:
                    pass

    def _receive(self, bound, name):
        while True:
            _, sender = bound.recvfrom(4096)
            self.hits.append(name)
            bound.sendto(self.mark.encode(), sender)

    def _watch(self, bound, name):
        while True:
            frame = bound.recv(65536)
            if not (frame[12:14] == IPV6 and frame[20] in (ICMPV6, HOP_BY_HOP)):
                self.hits.append(f"{name}: {frame[:64].hex()}")


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET

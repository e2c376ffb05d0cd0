# SPDX-License-Identifier: Apache-2.0
"""An upstream that tells what arrived, byte for byte, and answers with whatever bytes a test wants."""

import re
import socket
import ssl
import threading

ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n"


class RawUpstream:
    """Listens at `place`, with TLS if there is a certificate. `seen` holds (request line, body) of every request, in
    order; bytes that are no request stand there as (None, bytes). `answer_to(target)` gives (bytes, whether the
    connection is closed then) or None: the target and the body are sent back, so that an answer tells whose it is."""

    def __init__(self, place, certificate=None, answer_to=lambda target: None):
        self.seen, self.answer_to, self.open = [], answer_to, {}
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)
        self.listener = socket.create_server(place, backlog=64)
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes up who waits in accept()
        self.listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        # What is said out of turn is there at once, and not only when the last answer was acknowledged (RFC 896).
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as stream:
                while self._serve_one(connection, stream):
                    pass
                if self.context:
                    connection.unwrap()  # a TLS connection that only breaks off is no end of a body
        except OSError:
            pass  # the proxy gave the connection up

    def _serve_one(self, connection, stream):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                if head:
                    self.seen.append((None, head))
                return False
            head += line
        method, target, _ = head.decode("latin-1").split("\r\n")[0].split(" ", 2)
        body = read_body(stream, head)
        self.seen.append((f"{method} {target}", body))
        answer = self.answer_to(target)
        if answer is None:
            text = target.encode() + b" " + body
            answer = (ANSWER.format(len(text)).encode() + text, False)
        self.open[target] = connection
        connection.sendall(answer[0])
        return not answer[1]


def read_body(stream, head):
    """What the proxy writes is framed plainly; a body that ends early is what came of it."""
    if re.search(rb"(?i)\r\ntransfer-encoding: chunked\r\n", head):
        body = b""
        while size := int(stream.readline().strip() or b"0", 16):
            body += stream.read(size)
            stream.readline()
        while stream.readline().strip():
            pass
        return body
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)\r\n", head)
    return stream.read(int(length[1])) if length else b""

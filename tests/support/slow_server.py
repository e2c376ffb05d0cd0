# SPDX-License-Identifier: Apache-2.0
"""An upstream that lets its clients wait, and tells which of them are still there."""

import socket
import ssl
import threading

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nanswer"
PART = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npart"


class SlowServer:
    """At ports 80 and, with TLS, 443 of `address`. GET /slow/NAME is never answered, /part/NAME only in part;
    /asked/NAME is answered once NAME was asked for, /gone/NAME once the connection on which it was has ended, anything
    else at once."""

    def __init__(self, authority, address, name):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*authority.issue(name))
        self.happened, self.changed = set(), threading.Condition()
        self.listeners = [socket.create_server((address, port), backlog=600) for port in (80, 443)]
        for listener, context in zip(self.listeners, (None, self.context)):
            threading.Thread(target=self._accept, args=(listener, context), daemon=True).start()

    def stop(self):
        for listener in self.listeners:
            listener.shutdown(socket.SHUT_RDWR)  # wakes up who waits in accept()
            listener.close()

    def _accept(self, listener, context):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, context), daemon=True).start()

    def _tell(self, what):
        with self.changed:
            self.happened.add(what)
            self.changed.notify_all()

    def _serve(self, connection, context):
        kept = None
        try:
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            what, name = head.split(b" ")[1].decode()[1:].split("/")
            if what in ("slow", "part"):
                kept = name
                self._tell(("asked", name))
                connection.sendall(PART if what == "part" else b"")
                while connection.recv(65536):
                    pass
                return
            with self.changed:
                happened = self.changed.wait_for(lambda: what == "now" or (what, name) in self.happened, 60)
            connection.sendall(ANSWER if happened else b"")
        except OSError:
            pass
        finally:
            connection.close()
            if kept:
                self._tell(("gone", kept))

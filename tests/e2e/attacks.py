# SPDX-License-Identifier: Apache-2.0
"""Runs inside the sandbox (and once outside of it, as the control): tries everything that might lead out, and prints
one JSON line for each try. argv: the witness's mark; standard input: the plan as JSON."""

import ctypes
import errno
import json
import os
import socket
import stat
import struct
import sys
import urllib.parse

MARK, PLAN = sys.argv[1].encode(), json.load(sys.stdin)
LIBC = ctypes.CDLL(None, use_errno=True)


def tell(name, reached, detail=""):
    print(json.dumps({"try": name, "reached": bool(reached), "detail": str(detail)}), flush=True)


def attempt(name, function, *arguments):
    try:
        detail = function(*arguments)
        tell(name, detail is not None, detail or "")
    except OSError as error:
        tell(name, False, errno.errorcode.get(error.errno, error))


def ask(stream, text=b"GET / HTTP/1.0\r\nHost: witness.test\r\n\r\n"):
    """What came back, if it bears the witness's mark."""
    with stream:
        stream.settimeout(3)
        stream.sendall(text)
        answer = b""
        while MARK not in answer:
            piece = stream.recv(4096)
            if not piece:
                return None
            answer += piece
        return "answered with the mark"


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def tcp(address, port):
    stream = socket.socket(family(address), socket.SOCK_STREAM)
    stream.settimeout(3)
    stream.connect((address, port))
    return ask(stream)


def udp(address, port):
    with socket.socket(family(address), socket.SOCK_DGRAM) as sender:
        sender.settimeout(1)
        sender.connect((address, port))
        sender.send(MARK)
        return "answered" if MARK in sender.recv(100) else None


def unix(path):
    stream = socket.socket(socket.AF_UNIX)
    stream.settimeout(3)
    stream.connect("\0" + path[1:] if path.startswith("@") else path)
    return ask(stream)


def made(*kind):
    """A socket of a kind that must not exist in here."""
    socket.socket(*kind).close()
    return "the socket was made"


def frame_on(link):
    """A whole frame, past every rule of the network layer."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((link, 0))
        sender.send(b"\xff" * 6 + b"\x02" * 6 + b"\x08\x00" + MARK + bytes(46))
        return "sent"


def raw_packet(address):
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sender:
        where = socket.inet_aton(address)
        head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(MARK), 1, 0, 64, 17, 0, bytes(4), where)
        sender.sendto(head + MARK, (address, 0))
        return "sent"


def through_proxy(target, method):
    """The task's own proxy, asked for something that no rule names."""
    proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
    stream = socket.create_connection((proxy.hostname, proxy.port), timeout=5)
    if method == "CONNECT":
        with stream:
            stream.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
            stream.settimeout(3)
            if b" 200 " not in stream.recv(4096):
                return None
            return ask(stream.dup())
    return ask(stream, f"GET http://{target}/ HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n".encode())


def system_call(number, *arguments):
    if LIBC.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "was carried out"


def socket_files():
    """Sockets of somebody else that lie in the file system."""
    for top in ("/", "/run", "/var/run", "/tmp", "/dev"):
        for folder, names, files in os.walk(top):
            names[:] = [n for n in names if os.path.join(folder, n) not in ("/proc", "/sys", "/usr")]
            for name in files:
                path = os.path.join(folder, name)
                if stat.S_ISSOCK(os.lstat(path).st_mode):
                    return path
    return None


def foreign_processes():
    names = [open(f"/proc/{p}/comm").read().strip() for p in os.listdir("/proc") if p.isdigit()]
    return ", ".join(n for n in names if n.startswith(("aduana-proxy", "aduana-broker", "nginx"))) or None


def power():
    text = open("/proc/self/status").read()
    fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    held = [f for f in ("CapEff", "CapPrm", "CapBnd", "CapAmb") if int(fields[f], 16)]
    return ", ".join(held) or (None if os.getuid() and fields["NoNewPrivs"] == "1" else "root, or may become it")


FUNCTIONS = {f.__name__: f for f in (tcp, udp, unix, made, frame_on, raw_packet, through_proxy, system_call,
                                     socket_files, foreign_processes, power)}
for name, function, *arguments in PLAN:
    attempt(name, FUNCTIONS[function], *arguments)

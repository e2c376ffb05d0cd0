# SPDX-License-Identifier: Apache-2.0
"""Runs inside a sandbox, and outside of any as the control: for each line of its input, [function, arguments, named
arguments] as JSON, it does that and prints what came of it. What the kernel refused is {"error": its name}."""

import base64
import ctypes
import errno
import http.client
import json
import os
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import time
from urllib.parse import urlsplit

PROXY, PROXY6, PROXY_PORT = "198.18.0.1", "fd00::1", 3128
FREEBIND = {socket.AF_INET: (socket.SOL_IP, 15), socket.AF_INET6: (socket.IPPROTO_IPV6, 78)}
IP_TRANSPARENT, PTRACE_SEIZE, PR_SET_NAME, PIDFD_GETFD = 19, 0x4206, 15, 438
LIBC = ctypes.CDLL(None, use_errno=True)
held = {}


class Refused(Exception):
    """A CONNECT that was answered with something else than a tunnel."""


# --- Requests. `way`: "connect", "transparent" (no proxy is asked), "absolute" (http:// of the proxy).


def dial(host, port, source=None, free=False, patience=20):
    """`free`: from an address that is none of this machine's. No right is needed to ask for that."""
    family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    stream = socket.socket(family, kind)
    stream.settimeout(patience)
    if free:
        stream.setsockopt(*FREEBIND[family], 1)
    if source:
        stream.bind((source, 0))
    stream.connect(place)
    return stream


def answer_of(stream, method):
    answer = http.client.HTTPResponse(stream, method=method)
    answer.begin()
    tunnel = method == "CONNECT" and answer.status == 200
    return {"status": answer.status, "body": "" if tunnel else answer.read().decode()}


def send(stream, method, target, host, fields=(), body=""):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", *fields]
    lines += [f"Content-Length: {len(body)}"] if body else []
    stream.sendall("".join(line + "\r\n" for line in [*lines, ""]).encode("latin-1") + body.encode())
    return answer_of(stream, method)


def connected(url, way="connect", before="", claims=(), proxy=PROXY, **how):
    """A connection on which requests for `url` can be written. `before` goes ahead of all the rest; `claims` are fields
    of the CONNECT."""
    parts = urlsplit(url)
    port = parts.port or {"https": 443, "http": 80}[parts.scheme]
    stream = dial(parts.hostname, port, **how) if way == "transparent" else dial(proxy, PROXY_PORT, **how)
    stream.sendall(before.encode("latin-1"))
    if way == "connect":
        told = send(stream, "CONNECT", f"{parts.hostname}:{port}", f"{parts.hostname}:{port}", claims)
        if told["status"] != 200:
            raise Refused(told)
    if parts.scheme == "https":
        stream = ssl.create_default_context().wrap_socket(stream, server_hostname=parts.hostname)
    return stream


def ask(stream, url, way="connect", method="GET", fields=(), body=""):
    parts = urlsplit(url)
    target = url if way == "absolute" else parts.path + (f"?{parts.query}" if parts.query else "")
    return send(stream, method, target, parts.netloc, fields, body)


def request(url, method="GET", fields=(), body="", way="connect", **how):
    with connected(url, way, **how) as stream:
        return ask(stream, url, way, method, fields, body)


def hold(name, url, way="connect", **how):
    held[name] = connected(url, way, **how)
    return "held"


def again(name, url, way="connect", **what):
    return ask(held[name], url, way, **what)


def tunnel(name, host, port):
    """A CONNECT that was granted, and nothing said in it yet."""
    held[name] = connected(f"http://{host}:{port}/")
    return "held"


def from_environment(name):
    return os.environ[name]


# --- Addresses.


def addresses():
    """Those that the gateway sees."""
    own = []
    for proxy in (PROXY, PROXY6):
        try:
            with dial(proxy, PROXY_PORT) as stream:
                own.append(stream.getsockname()[0])
        except OSError:
            pass
    return own


def bind(address):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as stream:
        stream.bind((address, 0))
    return "bound"


def add_address(address, link):
    program = shutil.which("ip", path="/usr/sbin:/usr/bin:/sbin:/bin")
    at_once = ["nodad"] if ":" in address else []  # else it may not be bound before the kernel has looked around
    line = [program, "address", "add", address, "dev", link, *at_once]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        raise OSError(errno.EPERM if "not permitted" in done.stderr else None, done.stderr)
    return "added"


def made(*kind):
    socket.socket(*kind).close()
    return "made"


def transparent():
    with socket.socket() as stream:
        stream.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
    return "set"


# --- Sockets that are there already.


def sockets():
    """Files and names of sockets that can be seen from here, and what was inherited."""
    files = []
    for folder, names, others in os.walk("/"):
        names[:] = [name for name in names if os.path.join(folder, name) not in ("/proc", "/sys", "/usr")]
        files += [path for path in (os.path.join(folder, name) for name in others)
                  if stat.S_ISSOCK(os.lstat(path).st_mode)]
    with open("/proc/net/unix") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    inherited = {}
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            inherited[descriptor] = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            pass    # the one that listed them
    return {"files": files, "names": [row[7] for row in rows if len(row) > 7], "descriptors": inherited}


def listen(path):
    held[path] = socket.socket(socket.AF_UNIX)
    held[path].bind(path)
    held[path].listen()
    return "listens"


def join(name):
    """What comes of connecting to a socket in each way that it may want. A name that begins with @ is abstract."""
    told = {}
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, kind) as stream:
            try:
                stream.connect("\0" + name[1:] if name.startswith("@") else name)
                told[kind.name] = "connected"
            except OSError as error:
                told[kind.name] = errno.errorcode.get(error.errno)
    return told


def ask_serve(path, times):
    """Asks `aduana serve` which tasks there are, each time from a process that ends at once; how many were told."""
    told = 0
    for _ in range(times):
        child = os.fork()
        if not child:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stream:
                try:
                    stream.connect(path)
                    stream.send(b"\x01\x04" + bytes(8))
                    os._exit(1 if stream.recv(65536) else 0)
                except OSError:
                    os._exit(0)
        told += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return told


def hand_over(names, path):
    """Gives connections that are held to whoever comes to the socket `path`."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen()
        with door.accept()[0] as peer:
            socket.send_fds(peer, [b"here"], [held[name].fileno() for name in names])
    return "handed over"


# --- Other processes.


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def environment(pid):
    open(f"/proc/{pid}/environ", "rb").close()


def maps(pid):
    open(f"/proc/{pid}/maps", "rb").close()


def memory(pid):
    with open(f"/proc/{pid}/mem", "rb") as file:
        if os.fstat(file.fileno()).st_size:
            raise PermissionError(errno.EPERM, "a file that stands in the memory's place")


def descriptors(pid):
    os.listdir(f"/proc/{pid}/fd")


def traced(pid):
    checked(LIBC.ptrace(PTRACE_SEIZE, pid, ctypes.c_long(0), ctypes.c_long(0)))


def read_by_call(pid):
    buffer = ctypes.create_string_buffer(8)
    here, there = Piece(ctypes.addressof(buffer), 8), Piece(0x10000, 8)
    checked(LIBC.process_vm_readv(pid, ctypes.byref(here), ctypes.c_ulong(1), ctypes.byref(there), ctypes.c_ulong(1),
                                  ctypes.c_ulong(0)))


def taken_descriptor(pid):
    process = os.pidfd_open(pid)
    try:
        os.close(checked(LIBC.syscall(PIDFD_GETFD, process, 0, 0)))
    finally:
        os.close(process)


WAYS = (environment, maps, memory, descriptors, traced, read_by_call, taken_descriptor)


def reached(way, pid):
    try:
        way(pid)
    except OSError as error:
        # Nothing lies at that address, or under that number: but it was looked at.
        return "reached" if error.errno in (errno.EFAULT, errno.EBADF) else errno.errorcode.get(error.errno)
    return "reached"


def pry(pids):
    """Way -> process -> "reached", or why not."""
    return {way.__name__: {pid: reached(way, int(pid)) for pid in pids} for way in WAYS}


def visible():
    """Of every other process that can be seen: its name, and what can be read of it."""
    seen = {}
    for pid in (name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()):
        text = b""
        for name in ("cmdline", "environ", "maps"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    text += file.read()
            except OSError:
                continue
        with open(f"/proc/{pid}/comm") as file:
            seen[pid] = {"name": file.read().strip(), "text": base64.b64encode(text).decode()}
    return seen


def leave_behind(url, name):
    """A process of its own session, with no parent here, that asks for `url` again and again."""
    first = os.fork()
    if not first:
        os.setsid()
        if os.fork():
            os._exit(0)
        LIBC.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        for descriptor in range(3):
            os.dup2(os.open("/dev/null", os.O_RDWR), descriptor)
        while True:
            try:
                request(url)
            except Exception:
                pass
            time.sleep(0.02)
    os.waitpid(first, 0)
    return "left"


def outcome(function, arguments, named):
    try:
        return globals()[function](*arguments, **named)
    except Refused as refused:
        return refused.args[0]
    except (ssl.SSLError, http.client.HTTPException) as error:
        return {"error": type(error).__name__}
    except OSError as error:
        return {"error": errno.errorcode.get(error.errno, type(error).__name__)}


for line in sys.stdin:
    print(json.dumps(outcome(*json.loads(line))), flush=True)

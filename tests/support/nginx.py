# SPDX-License-Identifier: Apache-2.0
"""nginx over TLS with the test authority's certificates, and its access log as a list of dictionaries."""

import json
from pathlib import Path

from support.processes import Service

ECHO_MODULE = "/usr/lib/nginx/modules/ngx_http_echo_module.so"

MAIN = """
load_module {module};
daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{ worker_connections 1024; }}
http {{
    log_format record escape=json '{{"host":"$host","method":"$request_method","uri":"$request_uri","status":"$status",'
        '"authorization":"$http_authorization","agent":"$http_user_agent","connection":"$connection",'
        '"nth":"$connection_requests","sni":"$ssl_server_name","encoding":"$http_accept_encoding"}}';
    access_log {folder}/access.log record;
    types {{ text/html html; application/json json; }}
    default_type text/plain;
    client_max_body_size 0;
    client_body_temp_path {folder}/body;
    fastcgi_temp_path {folder}/fastcgi;
    proxy_temp_path {folder}/proxy;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    ssl_session_cache shared:tls:1m;
    keepalive_timeout 30s;
{sites}
}}
"""

SITE = """
    server {{
        listen {listen} ssl;
        server_name {names};
        ssl_certificate {certificate};
        ssl_certificate_key {key};
{body}
    }}
"""

PLAIN_SITE = """
    server {{
        listen 127.0.0.1:80;
        server_name {names};
{body}
    }}
"""

# What a test of the proxy asks of an upstream. /echo answers the request head as it arrived; /reflect gives the
# Authorization header back in a header, in a body and in a body sent in pieces.
API = """
        location = /echo { echo -n $echo_client_request_headers; }
        location = /reflect { add_header X-Seen $http_authorization; echo "you sent: $http_authorization"; }
        location = /reflect-pieces { echo -n $http_authorization; echo_flush; echo $http_authorization; }
        location /token/ {
            if ($http_authorization != "Bearer %(token)s") { return 401 "no token\\n"; }
            return 200 "issue 1: open\\n";
        }
        location /basic/ { auth_basic "private"; auth_basic_user_file %(users)s; alias %(files)s/; }
        location /files/ { alias %(files)s/; }
        location /uploads/ { alias %(uploads)s/; dav_methods PUT; }
        location = /chunked { echo one; echo_flush; echo two; echo_flush; echo three; }
        location = /slow { echo -n first; echo_flush; echo_sleep 0.3; echo second; }
        location = /stuck { echo -n first; echo_flush; echo_sleep 600; }
        location = /redirect { return 302 /echo; }
        location = /elsewhere { return 302 https://stranger.test/; }
        location = /empty { return 204; }
        location = /unchanged { return 304; }
"""


class Nginx:
    """`sites` maps server names (one or more, with blanks between) to the text inside their server block; `plain` does
    so for those without TLS."""

    def __init__(self, folder, authority, sites, listen=None, plain=None):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        text = ""
        for names, body in sites.items():
            certificate, key = authority.issue(*names.split())
            place = (listen or {}).get(names, "127.0.0.1:443")
            text += SITE.format(listen=place, names=names, certificate=certificate, key=key, body=body)
        text += "".join(PLAIN_SITE.format(names=names, body=body) for names, body in (plain or {}).items())
        (self.folder / "nginx.conf").write_text(MAIN.format(module=ECHO_MODULE, folder=self.folder, sites=text))
        command = ["nginx", "-p", self.folder, "-e", self.folder / "error.log", "-c", self.folder / "nginx.conf"]
        address, port = place.split(":")
        self.service = Service(command, self.folder / "out.log", (address, int(port)))

    def stop(self):
        self.service.stop()

    def seen(self, host=None):
        """Requests so far, oldest first."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [r for r in map(json.loads, lines) if host in (None, r["host"])]


def api_site(folder, token="api-token-4f1d", user="reader", password="reader-password-77"):
    """The body of the API's server block; makes its files and uploads folders under `folder`."""
    folder = Path(folder)
    for name in ("files", "uploads"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "files" / "hello.txt").write_text("hello\n")
    (folder / "users").write_text(f"{user}:{{PLAIN}}{password}\n")
    return API % {"token": token, "users": folder / "users", "files": folder / "files", "uploads": folder / "uploads"}

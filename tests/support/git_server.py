# SPDX-License-Identifier: Apache-2.0
"""A private repository: git-http-backend behind fcgiwrap and nginx with basic authentication."""

import subprocess
from pathlib import Path

from support.processes import CLEAN, Service

SITE = """
        location / {{
            auth_basic "repositories";
            auth_basic_user_file {folder}/users;
            fastcgi_pass unix:{folder}/fcgi.sock;
            fastcgi_param SCRIPT_FILENAME /usr/lib/git-core/git-http-backend;
            fastcgi_param GIT_PROJECT_ROOT {folder}/repositories;
            fastcgi_param GIT_HTTP_EXPORT_ALL "";
            fastcgi_param PATH_INFO $uri;
            fastcgi_param QUERY_STRING $args;
            fastcgi_param REQUEST_METHOD $request_method;
            fastcgi_param CONTENT_TYPE $content_type;
            fastcgi_param CONTENT_LENGTH $content_length;
            fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding;
            fastcgi_param GIT_PROTOCOL $http_git_protocol;
            fastcgi_param REMOTE_USER $remote_user;
            fastcgi_param REMOTE_ADDR $remote_addr;
        }}
"""


class GitServer:
    """Serves /project.git and /team/app.git, which hold one commit with README.txt. `site` is for nginx."""

    user, password = "builder", "git-password-c0ffee"

    def __init__(self, folder):
        self.folder = Path(folder)
        (self.folder / "repositories").mkdir(parents=True)
        users = (self.user, "x-access-token")
        (self.folder / "users").write_text("".join(f"{user}:{{PLAIN}}{self.password}\n" for user in users))
        self.site = SITE.format(folder=self.folder)
        bare, seed = self.folder / "repositories" / "project.git", self.folder / "seed"
        self._git("init", "-q", "--bare", "-b", "main", bare)
        self._git("-C", bare, "config", "http.receivepack", "true")
        self._git("init", "-q", "-b", "main", seed)
        (seed / "README.txt").write_text("a private project\n")
        self._git("-C", seed, "add", "README.txt")
        author = ("-c", "user.name=Test", "-c", "user.email=test@example.com")
        self._git("-C", seed, *author, "commit", "-q", "-m", "First")
        self._git("-C", seed, "push", "-q", bare, "main")
        self._git("clone", "-q", "--bare", bare, self.folder / "repositories/team/app.git")
        socket = self.folder / "fcgi.sock"
        self.service = Service(["fcgiwrap", "-c", "2", "-s", f"unix:{socket}"], self.folder / "fcgiwrap.log", socket)

    def _git(self, *arguments):
        subprocess.run(["git", *map(str, arguments)], check=True, capture_output=True,
                       env={**CLEAN, "HOME": str(self.folder)})

    def stop(self):
        self.service.stop()

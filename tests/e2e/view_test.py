#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command sees of the machine: its own small identity, its work folder, the system's programs, and nothing
else of the person who started it."""

import unittest

from support.aduana import PYTHON
from support.case import EndToEnd, main

# Prints every place where a file can be made.
WRITABLE = """
import os
for top in ("/", "/bin", "/boot", "/dev", "/dev/shm", "/etc", "/home", "/lib", "/media", "/mnt", "/opt", "/proc",
            "/proc/sys", "/root", "/run", "/sbin", "/srv", "/sys", "/sys/fs/cgroup", "/tmp", "/usr", "/usr/local",
            "/var", "/var/tmp", os.path.expanduser("~"), os.getcwd()):
    try:
        path = os.path.join(top, ".probe")
        open(path, "w").close()
        os.unlink(path)
        print(top)
    except OSError:
        pass
"""


class View(EndToEnd):
    wanted = ()  # nginx with stranger.test alone

    def shell(self, script, **more):
        outcome = self.person.run("/bin/sh", "-c", script, **more)
        self.assert_exit(outcome, 0)
        return outcome.stdout

    def test_only_the_work_folder_and_the_scratch_places_can_be_written(self):
        outcome = self.person.run(PYTHON, "-c", WRITABLE)
        places = set(outcome.stdout.split())
        self.assertLessEqual(places, {"/dev/shm", "/tmp", "/var/tmp", "/home/sandbox", str(self.person.work)})
        self.assertGreaterEqual(places, {"/dev/shm", "/tmp", "/home/sandbox", str(self.person.work)}, str(outcome))

    def test_the_work_folder_is_the_current_one_at_its_own_path(self):
        self.assertEqual(self.shell("pwd").strip(), str(self.person.work))
        other = self.person.home / "other"
        other.mkdir()
        self.assertEqual(self.shell("pwd", options=["--workdir", str(other)]).strip(), str(other))

    def test_the_rest_of_the_home_is_not_there(self):
        (self.person.home / ".netrc").write_text("machine api.test login a password b\n")
        self.assertEqual(self.shell(f"ls -A {self.person.home}").split(), ["work"])
        self.assertEqual(self.shell("ls -A ~ | grep -vx .pki || true").strip(), "")  # Chromium's trust
        for place in ("/root", "/run", "/home", str(self.person.state)):
            with self.subTest(place=place):
                listing = self.shell(f"ls -A {place} 2>/dev/null || true").split()
                self.assertLessEqual(set(listing), {"sandbox", "aduana-stub"}, place)

    def test_it_is_nobody_in_particular(self):
        self.assertEqual(self.shell("id -u; id -g; id -G").split(), ["61903"] * 3)
        self.assertLess(int(self.shell("wc -l < /etc/passwd")), 6)
        self.assertNotIn("root:", self.shell("cat /etc/shadow 2>/dev/null || true"))
        self.assertIn("nameserver 198.18.0.1", self.shell("cat /etc/resolv.conf"))

    def test_it_sees_its_own_processes_only(self):
        count = self.shell("ls -d /proc/[0-9]* | wc -l")
        self.assertLess(int(count), 8)

    def test_the_environment_is_its_own(self):
        outcome = self.person.run("/usr/bin/env", environment={"LEAKY_TOKEN": "leaky", "WANTED": "passed"},
                                  options=["--env-pass", "WANTED", "--env", "GIVEN=set here"])
        names = {line.split("=", 1)[0] for line in outcome.stdout.splitlines()}
        self.assertNotIn("LEAKY_TOKEN", names)
        self.assertIn("WANTED=passed", outcome.stdout)
        self.assertIn("GIVEN=set here", outcome.stdout)
        for name in ("http_proxy", "HTTPS_PROXY", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "PIP_CERT"):
            self.assertIn(name, names)
        self.assertIn("PATH=/usr/local/bin:/usr/bin:/bin", outcome.stdout.splitlines())
        self.assertNotIn("JAVA_TOOL_OPTIONS", names)

    def test_mounts_are_read_only_or_writable_as_asked(self):
        data, out = self.person.home / "data", self.person.folder / "out"
        for folder in (data, out):
            folder.mkdir()
        (data / "input.txt").write_text("input\n")
        script = "cat /data/input.txt; echo x > /data/y 2>/dev/null || echo refused; echo made > /out/result.txt"
        told = self.shell(script, options=["--ro", f"{data}:/data", "--rw", f"{out}:/out"])
        self.assertEqual(told, "input\nrefused\n")
        self.assertEqual((out / "result.txt").read_text(), "made\n")
        self.assertEqual((out / "result.txt").stat().st_uid, out.stat().st_uid)

    def test_the_host_name_of_loopback_is_its_own(self):
        self.assertIn("127.0.0.1", self.shell("getent ahostsv4 localhost"))
        self.assertEqual(self.shell("getent ahostsv4 api.example.com")[:7], "198.19.")

    def test_the_record_names_the_files_that_were_made(self):
        (self.person.work / "old.txt").write_text("old\n")
        outcome = self.person.run("/bin/sh", "-c", "echo new > new.txt")
        self.assert_exit(outcome, 0)
        self.assertEqual([file["path"] for file in outcome.record()["files_out"]["files"]], ["new.txt"])


if __name__ == "__main__":
    main()

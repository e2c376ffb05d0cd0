#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A journal that was changed is found out, with the first bad line, by somebody who holds only the public key."""

import json
import re
import shutil
import socket
import unittest

from support.aduana import Person, allow
from support.case import EndToEnd, main

SESSION = "for n in 1 2 3 4 5; do curl -s -o /dev/null https://api.test/echo https://stranger.test/; done"


class Journal(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.writer = Person(cls.upstreams)
        cls.writer.allow(allow("api", "api.test", methods=["GET"], paths=["/**"]))
        cls.outcome = cls.writer.run("/bin/sh", "-c", SESSION)
        if cls.outcome.exit:
            raise AssertionError(str(cls.outcome))

    def setUp(self):
        super().setUp()
        self.count = 0

    def copy(self):
        self.count += 1
        folder = self.person.folder / f"copy-{self.count}"
        shutil.copytree(self.outcome.journal, folder)
        return folder, next(folder.glob("*.jsonl"))

    def verify(self, folder):
        """By somebody else, who has nothing of the writer's but the public key."""
        return self.person.aduana("audit", "verify", "--journal", folder, "--public-key", self.writer.public_key)

    def assert_damaged_at(self, folder, line):
        found = self.verify(folder)
        text = found.stdout + found.stderr
        self.assertEqual(found.returncode, 1, text)
        self.assertRegex(text, rf"\bline {line}\b")

    def test_what_was_written_is_sound(self):
        folder, _ = self.copy()
        found = self.verify(folder)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_one_flipped_byte_is_found_where_it_is(self):
        lines = next(self.outcome.journal.glob("*.jsonl")).read_bytes().splitlines(keepends=True)
        for number in sorted({1, 2, len(lines) // 2, len(lines)}):
            with self.subTest(line=number):
                folder, file = self.copy()
                changed = list(lines)
                digit = re.search(rb'"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d', changed[number - 1]).end() - 1
                changed[number - 1] = flip(changed[number - 1], digit)
                file.write_bytes(b"".join(changed))
                self.assert_damaged_at(folder, number)

    def test_a_deleted_line_is_missed(self):
        folder, file = self.copy()
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join(lines[:3] + lines[4:]))
        self.assert_damaged_at(folder, 4)

    def test_swapped_lines_are_noticed(self):
        folder, file = self.copy()
        lines = file.read_bytes().splitlines(keepends=True)
        lines[3], lines[4] = lines[4], lines[3]
        file.write_bytes(b"".join(lines))
        self.assert_damaged_at(folder, 4)

    def test_a_cut_end_is_missed(self):
        folder, file = self.copy()
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join(lines[:-2]))
        found = self.verify(folder)
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)

    def test_the_wrong_key_is_no_key(self):
        self.person.run("/bin/true")
        folder, _ = self.copy()
        found = self.person.aduana("audit", "verify", "--journal", folder, "--public-key", self.person.public_key)
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)

    def run_by_default(self, task, status=0):
        """Journal and record where they go by themselves; returns the paths of both."""
        line, *_ = self.person.command_line(["/bin/true"])
        for option in ("--journal", "--record"):
            at = line.index(option)
            del line[at:at + 2]
        done = self.person.aduana(*line[1:line.index("--")], "--task", task, "--", "/bin/true")
        self.assertEqual(done.returncode, status, done.stderr)
        (journal,) = (self.person.state / "journal").glob(f"*-{task}.jsonl")
        return journal, self.person.state / "records" / f"{journal.stem}.dsse.json"

    def verified(self, *arguments):
        found = self.person.aduana("audit", "verify", *arguments)
        return found.returncode, found.stdout + found.stderr

    def test_the_record_tells_what_the_journal_alone_cannot(self):
        first, record = self.run_by_default("one")
        second, _ = self.run_by_default("two")
        status, told = self.verified()
        self.assertEqual((status, told.count(", as its record says")), (0, 2), told)
        whole = first.read_bytes(), first.with_suffix(".head").read_bytes()
        for file in (first, first.with_suffix(".head")):
            shutil.copy(second.with_suffix(file.suffix), file)
        status, told = self.verified()
        self.assertEqual((status, "its record is of the task one" in told), (1, True), told)
        first.unlink()
        status, told = self.verified()
        self.assertEqual((status, told.count("is missing")), (1, 2), told)
        first.write_bytes(whole[0])
        first.with_suffix(".head").write_bytes(whole[1])
        self.assertEqual(self.verified(record)[0], 0)
        record.write_text(record.read_text().replace('"payload":"e', '"payload":"f'))
        self.assertEqual((self.verified()[0], self.verified(record)[0]), (1, 1))

    def test_a_copy_of_the_state_folder_is_judged_by_itself_beside_the_original(self):
        names = [self.run_by_default(task)[0].stem for task in ("one", "two")]
        copy = self.person.folder / "copy"

        def swap(folder):
            for suffix in (".jsonl", ".head"):
                first, second = (folder / f"{name}{suffix}" for name in names)
                kept = first.read_bytes()
                shutil.copy(second, first)
                second.write_bytes(kept)

        def replace(folder):
            for suffix in (".jsonl", ".head"):
                shutil.copy(folder / f"{names[1]}{suffix}", folder / f"{names[0]}{suffix}")

        def delete(folder):
            for suffix in (".jsonl", ".head"):
                (folder / f"{names[0]}{suffix}").unlink()

        for change, damaged in ((lambda folder: None, 0), (delete, 1), (replace, 1), (swap, 2)):
            shutil.copytree(self.person.state, copy)
            change(copy / "journal")
            for arguments in ((), ("--journal", copy / "journal")):
                with self.subTest(damaged=damaged, arguments=arguments):
                    found = self.person.aduana("audit", "verify", *arguments, ADUANA_STATE_DIR=str(copy))
                    self.assertEqual((found.returncode, found.stdout.count("DAMAGED")), (int(damaged > 0), damaged),
                                     found.stdout + found.stderr)
            shutil.rmtree(copy)
        self.assertEqual(self.verified()[0], 0)

    def test_a_run_that_could_not_begin_has_a_record_too(self):
        with socket.socket(socket.AF_UNIX) as other:
            path = self.person.work / "agent"
            other.bind(str(path))
            self.run_by_default("no-sandbox", 125)
            path.unlink()
        self.person.allow(allow("api", "api.test", "api", methods=["GET"], paths=["/**"]))
        self.person.bind(("api", "api.test", "secret", "{bearer: {}}"))
        (self.person.files / "secret-api").unlink()
        journal, record = self.run_by_default("no-border", 125)
        self.assertTrue(record.exists())
        status, told = self.verified()
        self.assertEqual((status, told.count(", as its record says")), (0, 2), told)
        lines = journal.read_bytes().splitlines(keepends=True)
        self.assertIn(b'"cause":"setup-failed"', lines[-1])
        journal.write_bytes(b"".join(lines[:-1]))
        self.assertEqual(self.verified()[0], 1)

    def test_a_record_that_went_elsewhere_is_named(self):
        folder, file = self.copy()
        named = self.person.aduana("audit", "verify", file, "--record", self.outcome.record_file, "--public-key",
                                   self.writer.public_key)
        self.assertEqual(named.returncode, 0, named.stdout + named.stderr)
        self.assertIn(", as its record says", named.stdout)
        self.assertIn("its record was not found", self.verify(folder).stdout)
        other = self.writer.run("/bin/true")
        named = self.person.aduana("audit", "verify", file, "--record", other.record_file, "--public-key",
                                   self.writer.public_key)
        self.assertEqual(named.returncode, 1, named.stdout + named.stderr)

    def test_each_request_has_a_start_and_one_end(self):
        starts = [e["id"] for e in self.outcome.events("request.start")]
        ends = [e["id"] for e in self.outcome.requests() if e["decision"] != "deny"]
        self.assertEqual(sorted(starts), sorted(set(starts)))
        self.assertEqual(sorted(starts), sorted(ends))
        self.assertEqual(len(self.upstreams.nginx.seen("api.test")), len(starts))
        self.assertEqual(len(self.outcome.refused()), 5)

    def test_the_numbers_and_the_chain_run_through(self):
        events = self.outcome.events()
        self.assertEqual([e["seq"] for e in events], list(range(1, len(events) + 1)))
        self.assertEqual((events[0]["event"], events[-1]["event"] in ("task.end", "checkpoint")), ("task.start", True))

    def test_show_filters_and_gives_json(self):
        shown = self.writer.aduana("audit", "show", "--journal", self.outcome.journal, "--decision", "deny", "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        lines = [json.loads(line) for line in shown.stdout.splitlines()]
        self.assertEqual({line["host"] for line in lines}, {"stranger.test"})

    def test_nobody_but_the_owner_may_write_the_journal(self):
        for file in self.outcome.journal.iterdir():
            self.assertEqual(file.stat().st_mode & 0o027, 0, file)


def flip(line, at):
    return line[:at] + bytes([line[at] ^ 1]) + line[at + 1:]


if __name__ == "__main__":
    main()

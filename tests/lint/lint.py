#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a source tree (this one unless named) against rules.py: `file:line: message`, and 1 on a finding."""

import sys
from pathlib import Path

import rules


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = rules.run(root)
    print("\n".join(findings) if findings else f"lint: {len(rules.ALL)} rules hold")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

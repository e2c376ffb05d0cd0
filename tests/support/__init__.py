# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: a private machine, real upstreams, and a way to run aduana against them."""

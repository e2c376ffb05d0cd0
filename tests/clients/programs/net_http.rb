# SPDX-License-Identifier: Apache-2.0
# Ruby's net/http.
require "net/http"

ARGV.each { |url| puts Net::HTTP.get(URI(url)) }

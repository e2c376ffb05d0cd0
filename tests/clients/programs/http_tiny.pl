# SPDX-License-Identifier: Apache-2.0
# Perl's own HTTP::Tiny.
use HTTP::Tiny;

my $agent = HTTP::Tiny->new(verify_SSL => 1);
for my $url (@ARGV) {
    my $answer = $agent->get($url);
    die "$answer->{status} $answer->{reason}" unless $answer->{success};
    print $answer->{content}, "\n";
}

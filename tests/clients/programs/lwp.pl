# SPDX-License-Identifier: Apache-2.0
# Perl's LWP, with the proxy variables.
use LWP::UserAgent;

my $agent = LWP::UserAgent->new(env_proxy => 1);
for my $url (@ARGV) {
    my $answer = $agent->get($url);
    die $answer->status_line unless $answer->is_success;
    print $answer->decoded_content, "\n";
}

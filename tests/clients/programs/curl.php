<?php
// SPDX-License-Identifier: Apache-2.0
// PHP's curl extension.
foreach (array_slice($argv, 1) as $url) {
    $curl = curl_init($url);
    curl_exec($curl) ?: exit(curl_error($curl));
}

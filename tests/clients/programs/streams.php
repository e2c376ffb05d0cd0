<?php
// SPDX-License-Identifier: Apache-2.0
// PHP's stream wrappers, which know no proxy variables.
foreach (array_slice($argv, 1) as $url)
    echo file_get_contents($url), "\n";

// SPDX-License-Identifier: Apache-2.0
import axios from "axios";

for (const url of process.argv.slice(2)) console.log((await axios.get(url)).data);

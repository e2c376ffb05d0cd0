// SPDX-License-Identifier: Apache-2.0
// The program `aduana`.
#include "cli/options.hpp"

int main(int argc, char** argv)
{
    return aduana::cli::main_of(argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// Frames: the first bytes tell which fields are read from the rest. What is read whole is written back byte for byte.
#include "policy/base/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace aduana;

constexpr std::size_t script_size = 8;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

/// Reads one field and writes it again.
void copy_field(std::uint8_t kind, wire::Reader& reader, wire::Writer& writer)
{
    switch (kind % 7) {
    case 0:
        writer.u8(reader.u8());
        return;
    case 1:
        writer.u32(reader.u32());
        return;
    case 2:
        writer.u64(reader.u64());
        return;
    case 3:
        writer.boolean(reader.boolean());
        return;
    case 4:
        writer.bytes(reader.bytes());
        return;
    case 5:
        writer.list(reader.list());
        return;
    case 6: {
        const std::uint32_t count = reader.count(4);
        writer.u32(count);
        for (std::uint32_t i = 0; i < count; ++i)
            writer.u32(reader.u32());
        return;
    }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < script_size)
        return 0;
    const std::string_view frame(reinterpret_cast<const char*>(data) + script_size, size - script_size);
    wire::Reader reader(frame);
    wire::Writer writer(reader.header().type, reader.header().request);
    for (std::size_t i = 0; i < script_size; ++i)
        copy_field(data[i], reader, writer);
    if (reader.finish())
        require(writer.frame() == frame);
    if (reader.failed())
        require(reader.u64() == 0 && reader.bytes().empty() && reader.list().empty() && !reader.finish());
    return 0;
}

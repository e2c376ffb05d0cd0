// SPDX-License-Identifier: Apache-2.0
// Three libraries behind one step: consume, produce, end.
#include "proxy/core/content_decoder.hpp"

#include "proxy/core/grammar.hpp"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>

namespace aduana::proxy {

class ContentDecoder::Codec {
public:
    virtual ~Codec() = default;
    Codec() = default;
    Codec(const Codec&) = delete;
    Codec& operator=(const Codec&) = delete;
    [[nodiscard]] virtual Step next(std::string_view in, std::span<char> out) = 0;
    [[nodiscard]] virtual bool complete() const = 0;
};

namespace {

using Codec = ContentDecoder::Codec;
using Step = ContentDecoder::Step;

constexpr Step failed{0, 0, true};
constexpr int largest_window_log = 23; ///< 8 MiB (RFC 9659 section 3)

/// gzip (RFC 1952), and what HTTP calls deflate: zlib's format (RFC 1950), or bare DEFLATE (RFC 1951) of those who took
/// it by its name.
class Inflate final : public Codec {
public:
    enum class Format : std::uint8_t { gzip, deflate };
    explicit Inflate(Format format) : format_(format) {}
    ~Inflate() override
    {
        if (begun_)
            inflateEnd(&stream_);
    }

    Step next(std::string_view in, std::span<char> out) override
    {
        if (ended_ && !begin_member(in))
            return in.empty() ? Step{} : failed;
        if (!begun_ && in.empty())
            return {};
        if (!begun_ && !begin(static_cast<unsigned char>(in.front())))
            return failed;
        stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
        stream_.avail_in = static_cast<uInt>(in.size());
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(out.size());
        const int result = inflate(&stream_, Z_NO_FLUSH);
        ended_ = result == Z_STREAM_END;
        const bool going_on = result == Z_OK || result == Z_BUF_ERROR || ended_;
        return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, !going_on};
    }

    [[nodiscard]] bool complete() const override { return ended_; }

private:
    /// The low four bits of zlib's first byte are 8 (RFC 1950 section 2.2). A bare DEFLATE stream that begins like that
    /// would begin with a stored block and padding that is not zero: no compressor writes one.
    bool begin(unsigned char first)
    {
        constexpr int gzip_too = 16;
        const bool bare = format_ == Format::deflate && (first & 0x0fU) != Z_DEFLATED;
        const int bits = bare ? -MAX_WBITS : format_ == Format::gzip ? MAX_WBITS + gzip_too : MAX_WBITS;
        begun_ = inflateInit2(&stream_, bits) == Z_OK;
        return begun_;
    }

    /// Members of gzip may follow each other (RFC 1952 section 2.2).
    bool begin_member(std::string_view in)
    {
        if (in.empty() || format_ != Format::gzip || inflateReset(&stream_) != Z_OK)
            return false;
        ended_ = false;
        return true;
    }

    Format format_;
    z_stream stream_{};
    bool begun_ = false;
    bool ended_ = false;
};

/// RFC 7932.
class Brotli final : public Codec {
public:
    Step next(std::string_view in, std::span<char> out) override
    {
        if (!state_)
            return failed;
        if (complete())
            return in.empty() ? Step{} : failed;
        std::size_t left = in.size();
        std::size_t room = out.size();
        auto from = reinterpret_cast<const std::uint8_t*>(in.data());
        auto to = reinterpret_cast<std::uint8_t*>(out.data());
        const auto result = BrotliDecoderDecompressStream(state_.get(), &left, &from, &room, &to, nullptr);
        return {in.size() - left, out.size() - room, result == BROTLI_DECODER_RESULT_ERROR};
    }

    [[nodiscard]] bool complete() const override { return BrotliDecoderIsFinished(state_.get()) == BROTLI_TRUE; }

private:
    struct Free {
        void operator()(BrotliDecoderState* state) const noexcept { BrotliDecoderDestroyInstance(state); }
    };
    std::unique_ptr<BrotliDecoderState, Free> state_{BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)};
};

/// RFC 8878; frames may follow each other.
class Zstd final : public Codec {
public:
    Zstd()
    {
        if (stream_ &&
            ZSTD_isError(ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, largest_window_log)) != 0)
            stream_.reset();
    }

    Step next(std::string_view in, std::span<char> out) override
    {
        if (!stream_)
            return failed;
        ZSTD_inBuffer from{in.data(), in.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        const auto result = ZSTD_decompressStream(stream_.get(), &to, &from);
        if (ZSTD_isError(result) != 0)
            return failed;
        if (from.pos != 0 || to.pos != 0)
            ended_ = result == 0;
        return {from.pos, to.pos, false};
    }

    [[nodiscard]] bool complete() const override { return ended_; }

private:
    struct Free {
        void operator()(ZSTD_DCtx* stream) const noexcept { ZSTD_freeDCtx(stream); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> stream_{ZSTD_createDCtx()};
    bool ended_ = false; ///< with the last frame
};

std::unique_ptr<Codec> codec_for(ContentCoding coding)
{
    switch (coding) {
    case ContentCoding::gzip:
        return std::make_unique<Inflate>(Inflate::Format::gzip);
    case ContentCoding::deflate:
        return std::make_unique<Inflate>(Inflate::Format::deflate);
    case ContentCoding::brotli:
        return std::make_unique<Brotli>();
    case ContentCoding::zstd:
    case ContentCoding::identity:
        break;
    }
    return std::make_unique<Zstd>();
}

std::optional<ContentCoding> coding_named(std::string_view name)
{
    struct Known {
        std::string_view name;
        ContentCoding coding;
    };
    constexpr std::array<Known, 6> known{{{"identity", ContentCoding::identity},
                                          {"gzip", ContentCoding::gzip},
                                          {"x-gzip", ContentCoding::gzip},
                                          {"deflate", ContentCoding::deflate},
                                          {"br", ContentCoding::brotli},
                                          {"zstd", ContentCoding::zstd}}};
    const auto found = std::ranges::find_if(known, [name](const Known& one) { return same_name(one.name, name); });
    return found == known.end() ? std::nullopt : std::optional(found->coding);
}

std::string_view trimmed(std::string_view text)
{
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    const auto end = text.find_last_not_of(" \t") + 1;
    return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

/// The first one of a list, which loses it. An empty element is none (RFC 9110 section 5.6.1).
std::optional<ContentCoding> take_coding(std::string_view& list)
{
    const auto comma = std::min(list.find(','), list.size());
    const auto name = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    return name.empty() ? ContentCoding::identity : coding_named(name);
}

/// gRPC and Connect code each message for itself, behind a prefix of five bytes.
bool codes_messages(const Field& field)
{
    return (same_name(field.name, "grpc-encoding") || same_name(field.name, "Connect-Content-Encoding")) &&
           !same_name(trimmed(field.value), "identity");
}

} // namespace

std::optional<ContentCoding> content_coding(const Fields& fields)
{
    auto coding = ContentCoding::identity;
    for (const auto& field : fields) {
        if (codes_messages(field))
            return std::nullopt;
        const bool names_codings = same_name(field.name, "Content-Encoding");
        for (auto rest = names_codings ? field.value : std::string_view(); !rest.empty();) {
            const auto one = take_coding(rest);
            if (!one || (*one != ContentCoding::identity && coding != ContentCoding::identity))
                return std::nullopt;
            coding = std::max(coding, *one);
        }
    }
    return coding;
}

ContentDecoder::ContentDecoder(ContentCoding coding) : codec_(codec_for(coding)) {}
ContentDecoder::ContentDecoder(ContentDecoder&&) noexcept = default;
ContentDecoder& ContentDecoder::operator=(ContentDecoder&&) noexcept = default;
ContentDecoder::~ContentDecoder() = default;

ContentDecoder::Step ContentDecoder::next(std::string_view in, std::span<char> out)
{
    auto step = codec_->next(in, out);
    taken_ += step.consumed;
    given_ += step.produced;
    if (step.failed)
        why_ = "the body is not in the coding that its head names";
    if (given_ > free_inflation && given_ / most_inflation > taken_) {
        why_ = "the body grows to more than 200 times its size";
        step.failed = true;
    }
    return step;
}

bool ContentDecoder::complete() const
{
    return taken_ == 0 || codec_->complete();
}

} // namespace aduana::proxy

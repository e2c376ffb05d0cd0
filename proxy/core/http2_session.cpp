// SPDX-License-Identifier: Apache-2.0
// nghttp2's callbacks turned into events, and offered bodies into its data sources.
#include "proxy/core/http2_session.hpp"

#include "proxy/core/grammar.hpp"

#include <malloc.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

namespace aduana::proxy {

namespace {

constexpr std::size_t field_overhead = 32; // RFC 9113 section 6.5.2

/// Injected values pass through the library's memory: it is wiped before anybody else can get it.
void wiping_free(void* memory, void*)
{
    if (memory == nullptr)
        return;
    ::explicit_bzero(memory, ::malloc_usable_size(memory));
    std::free(memory);
}

/// realloc(3) may move a block and leave the old bytes behind.
void* wiping_realloc(void* memory, std::size_t size, void*)
{
    if (memory == nullptr)
        return std::malloc(size);
    const auto old_size = ::malloc_usable_size(memory);
    if (size <= old_size)
        return memory;
    void* const grown = std::malloc(size);
    if (grown == nullptr)
        return nullptr;
    std::memcpy(grown, memory, old_size);
    wiping_free(memory, nullptr);
    return grown;
}

nghttp2_mem* wiping_memory()
{
    static nghttp2_mem memory{nullptr, [](std::size_t size, void*) { return std::malloc(size); }, wiping_free,
                              [](std::size_t count, std::size_t size, void*) { return std::calloc(count, size); },
                              wiping_realloc};
    return &memory;
}

std::string lower_case(std::string_view name)
{
    std::string out(name);
    std::transform(out.begin(), out.end(), out.begin(), ascii_lower);
    return out;
}

std::string_view text_of(const std::uint8_t* bytes, std::size_t size)
{
    return {reinterpret_cast<const char*>(bytes), size};
}

/// Header fields in the form of the library. It copies names, which need lower case, and values.
class NameValues {
public:
    explicit NameValues(const Http2Fields& fields)
    {
        names_.reserve(fields.size());
        list_.reserve(fields.size());
        for (const auto& field : fields)
            add(field);
    }
    [[nodiscard]] const nghttp2_nv* data() const { return list_.data(); }
    [[nodiscard]] std::size_t size() const { return list_.size(); }

private:
    void add(const Http2Field& field)
    {
        const auto& name = names_.emplace_back(lower_case(field.name));
        const auto bytes = [](std::string_view text) {
            return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
        };
        const auto flags = field.never_indexed ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
        list_.push_back(
            {bytes(name), bytes(field.value), name.size(), field.value.size(), static_cast<std::uint8_t>(flags)});
    }

    std::vector<std::string> names_;
    std::vector<nghttp2_nv> list_;
};

} // namespace

struct Http2Session::Inside {
    struct Stream {
        FieldBuffer fields; ///< of the head that is coming in
        std::size_t head_bytes = 0;
        bool too_large = false;
        bool head_seen = false; ///< the final one
        std::string_view offered;
        Piece piece = Piece::more;
        FieldBuffer trailers; ///< ours
    };

    nghttp2_session* session = nullptr;
    Http2Role role;
    Http2Limits limits;
    std::map<StreamId, Stream> streams;
    std::vector<Http2Event> events;
    bool broken = false;

    Inside(Http2Role its_role, const Http2Limits& its_limits) : role(its_role), limits(its_limits) {}
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { nghttp2_session_del(session); }

    static Inside& of(void* user) { return *static_cast<Inside*>(user); }

    Stream* find(StreamId id)
    {
        const auto found = streams.find(id);
        return found == streams.end() ? nullptr : &found->second;
    }

    void add_field(StreamId id, std::string_view name, std::string_view value)
    {
        auto& stream = streams[id];
        stream.head_bytes += name.size() + value.size() + field_overhead;
        if (stream.head_bytes > limits.head_bytes || stream.fields.count() == limits.fields) {
            stream.too_large = true;
            return;
        }
        stream.fields.add(name, value);
    }

    void head_ended(const nghttp2_frame& frame)
    {
        const auto id = frame.hd.stream_id;
        auto& stream = streams[id];
        const bool last = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
        Http2Event event{.kind = Http2Event::Kind::head, .stream = id};
        event.fields = std::exchange(stream.fields, {});
        event.too_large = std::exchange(stream.too_large, false);
        stream.head_bytes = 0;
        const bool trailers = stream.head_seen;
        if (trailers) {
            event.kind = Http2Event::Kind::end;
        } else {
            const auto fields = event.fields.fields();
            const auto status = fields.find(":status");
            stream.head_seen = !status || !status->starts_with('1');
            event.last = last;
        }
        events.push_back(std::move(event));
    }

    /// What goes into a DATA frame of at most `size` bytes.
    ssize_t fill(StreamId id, std::uint8_t* into, std::size_t size, std::uint32_t* flags)
    {
        auto* const stream = find(id);
        if (stream == nullptr)
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        const auto count = std::min(size, stream->offered.size());
        if (count == 0 && stream->piece == Piece::more)
            return NGHTTP2_ERR_DEFERRED;
        std::copy_n(stream->offered.data(), count, into);
        stream->offered.remove_prefix(count);
        if (!stream->offered.empty())
            return static_cast<ssize_t>(count);
        if (count != 0)
            events.push_back({.kind = Http2Event::Kind::written, .stream = id});
        if (stream->piece == Piece::last)
            end_message(id, *stream, flags);
        return static_cast<ssize_t>(count);
    }

    void end_message(StreamId id, const Stream& stream, std::uint32_t* flags)
    {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (stream.trailers.empty())
            return;
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        Http2Fields fields;
        const auto views = stream.trailers.fields();
        for (const auto& field : views)
            fields.push_back({field.name, field.value});
        const NameValues list(fields);
        nghttp2_submit_trailer(session, id, list.data(), list.size());
    }

    static nghttp2_data_provider provider()
    {
        nghttp2_data_provider made;
        made.source.ptr = nullptr;
        made.read_callback = [](nghttp2_session*, StreamId id, std::uint8_t* into, std::size_t size,
                                std::uint32_t* flags, nghttp2_data_source*,
                                void* user) { return of(user).fill(id, into, size, flags); };
        return made;
    }

    static int on_field(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                        const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user)
    {
        of(user).add_field(frame->hd.stream_id, text_of(name, name_size), text_of(value, value_size));
        return 0;
    }

    /// The library would drop such a field and go on: the peer and we would then see two different messages.
    static int on_invalid_field(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t*, std::size_t,
                                const std::uint8_t*, std::size_t, std::uint8_t, void* user)
    {
        of(user).events.push_back({.kind = Http2Event::Kind::invalid, .stream = frame->hd.stream_id});
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }

    static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user)
    {
        if (frame->hd.type == NGHTTP2_HEADERS)
            of(user).head_ended(*frame);
        else if (frame->hd.type == NGHTTP2_DATA && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
            of(user).events.push_back({.kind = Http2Event::Kind::end, .stream = frame->hd.stream_id});
        return 0;
    }

    static int on_invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int error, void* user)
    {
        const auto kind = error == NGHTTP2_ERR_REFUSED_STREAM ? Http2Event::Kind::refused : Http2Event::Kind::invalid;
        if (frame->hd.stream_id != 0)
            of(user).events.push_back({.kind = kind, .stream = frame->hd.stream_id});
        return 0;
    }

    static int on_data(nghttp2_session*, std::uint8_t, StreamId id, const std::uint8_t* bytes, std::size_t size,
                       void* user)
    {
        of(user).events.push_back({.kind = Http2Event::Kind::data, .stream = id, .data = text_of(bytes, size)});
        return 0;
    }

    static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* user)
    {
        if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR)
            of(user).broken = true;
        const bool of_message = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
        if (of_message && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
            of(user).events.push_back({.kind = Http2Event::Kind::ended, .stream = frame->hd.stream_id});
        return 0;
    }

    static int on_closed(nghttp2_session*, StreamId id, std::uint32_t error, void* user)
    {
        of(user).streams.erase(id);
        of(user).events.push_back(
            {.kind = Http2Event::Kind::closed, .stream = id, .error = static_cast<Http2Error>(error)});
        return 0;
    }

    static const nghttp2_session_callbacks* callbacks()
    {
        static const auto* const shared = [] {
            nghttp2_session_callbacks* made = nullptr;
            if (nghttp2_session_callbacks_new(&made) != 0)
                throw std::bad_alloc();
            nghttp2_session_callbacks_set_on_header_callback(made, on_field);
            nghttp2_session_callbacks_set_on_invalid_header_callback(made, on_invalid_field);
            nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
            nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, on_invalid_frame);
            nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
            nghttp2_session_callbacks_set_on_frame_send_callback(made, on_sent);
            nghttp2_session_callbacks_set_on_stream_close_callback(made, on_closed);
            return made;
        }();
        return shared;
    }

    void open()
    {
        nghttp2_option* option = nullptr;
        if (nghttp2_option_new(&option) != 0)
            throw std::bad_alloc();
        const std::unique_ptr<nghttp2_option, decltype(&nghttp2_option_del)> owned(option, nghttp2_option_del);
        nghttp2_option_set_no_auto_window_update(option, 1);
        nghttp2_option_set_stream_reset_rate_limit(option, limits.reset_burst, limits.reset_rate);
        const int failed = role == Http2Role::server
                               ? nghttp2_session_server_new3(&session, callbacks(), this, option, wiping_memory())
                               : nghttp2_session_client_new3(&session, callbacks(), this, option, wiping_memory());
        if (failed != 0)
            throw std::bad_alloc();
        announce();
    }

    void announce()
    {
        std::vector<nghttp2_settings_entry> settings{
            {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window},
            {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.head_bytes)},
        };
        if (role == Http2Role::server) {
            settings.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams});
            settings.push_back({NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1});
        } else {
            settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
        }
        nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
        nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                              static_cast<std::int32_t>(limits.connection_window));
    }
};

Http2Session::Http2Session(Http2Role role, const Http2Limits& limits) : inside_(std::make_unique<Inside>(role, limits))
{
    inside_->open();
}

Http2Session::~Http2Session() = default;

bool Http2Session::feed(std::string_view bytes)
{
    const auto used =
        nghttp2_session_mem_recv(inside_->session, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    inside_->broken |= used < 0;
    return used >= 0;
}

bool Http2Session::broken() const
{
    return inside_->broken;
}

std::vector<Http2Event> Http2Session::take_events()
{
    return std::exchange(inside_->events, {});
}

void Http2Session::take_output(std::string& out, std::size_t enough)
{
    while (out.size() < enough) {
        const std::uint8_t* bytes = nullptr;
        const auto size = nghttp2_session_mem_send(inside_->session, &bytes);
        if (size <= 0)
            return;
        out.append(text_of(bytes, static_cast<std::size_t>(size)));
    }
}

bool Http2Session::over() const
{
    return nghttp2_session_want_read(inside_->session) == 0 && nghttp2_session_want_write(inside_->session) == 0;
}

StreamId Http2Session::submit_request(const Http2Fields& fields, Body body)
{
    const NameValues list(fields);
    const auto provider = Inside::provider();
    const auto id = nghttp2_submit_request(inside_->session, nullptr, list.data(), list.size(),
                                           body == Body::follows ? &provider : nullptr, nullptr);
    if (id <= 0)
        return 0;
    inside_->streams[id];
    return id;
}

void Http2Session::submit_response(StreamId stream, const Http2Fields& fields, Body body)
{
    const NameValues list(fields);
    const auto provider = Inside::provider();
    nghttp2_submit_response(inside_->session, stream, list.data(), list.size(),
                            body == Body::follows ? &provider : nullptr);
}

void Http2Session::submit_interim(StreamId stream, const Http2Fields& fields)
{
    const NameValues list(fields);
    nghttp2_submit_headers(inside_->session, NGHTTP2_FLAG_NONE, stream, nullptr, list.data(), list.size(), nullptr);
}

void Http2Session::offer(StreamId stream, std::string_view payload, Piece piece, const FieldBuffer& trailers)
{
    auto* const found = inside_->find(stream);
    if (found == nullptr)
        return;
    found->offered = payload;
    found->piece = piece;
    found->trailers = trailers;
    nghttp2_session_resume_data(inside_->session, stream);
}

void Http2Session::withdraw(StreamId stream)
{
    if (auto* const found = inside_->find(stream))
        found->offered = {};
}

void Http2Session::consume(StreamId stream, std::size_t size)
{
    nghttp2_session_consume(inside_->session, stream, size);
}

void Http2Session::reset(StreamId stream, Http2Error error)
{
    nghttp2_submit_rst_stream(inside_->session, NGHTTP2_FLAG_NONE, stream, static_cast<std::uint32_t>(error));
}

void Http2Session::go_away()
{
    nghttp2_submit_goaway(inside_->session, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(inside_->session), NGHTTP2_NO_ERROR, nullptr, 0);
}

bool Http2Session::can_open() const
{
    const auto most = nghttp2_session_get_remote_settings(inside_->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    return nghttp2_session_check_request_allowed(inside_->session) != 0 && inside_->streams.size() < most;
}

} // namespace aduana::proxy

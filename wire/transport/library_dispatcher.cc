#include "wire/transport/library_dispatcher.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <utility>

#include "wire/base/log.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

// Where the library reads our head and writes its response.
class MemoryStream final : public httplib::Stream {
 public:
  MemoryStream(std::string_view in, std::string& out) : in_(in), out_(out) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, in_.size());
    std::memcpy(to, in_.data(), count);
    in_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    out_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  std::string_view in_;
  std::string& out_;
};

bool is_sendable_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::strchr("\"(),/:;<=>?@[\\]{}", c) == nullptr;
  });
}

// RFC 9110 section 5.5: CR, LF and NUL in a value would start another line, or another response.
bool is_sendable_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char character) {
    const auto c = static_cast<unsigned char>(character);
    return (c >= 0x20 && c != 0x7f) || c == '\t';
  });
}

// Names that say how the message is framed, which is for this server to say.
bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOurs = {"Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
                                                     "Date"};
  return std::any_of(kOurs.begin(), kOurs.end(), [&](std::string_view own) { return equal_ignoring_case(own, name); });
}

bool is_sendable(const HttpResponse& response) {
  if (response.status < 200 || response.status > 599) {
    log_error("a handler gave a status that is none; answered 500");
    return false;
  }
  for (const HeaderField& field : response.headers.fields()) {
    if (is_sendable_name(field.name) && is_sendable_value(field.value)) continue;
    log_error("a handler gave a header that cannot be sent, " + visible_line(field.name, 60) + "; answered 500");
    return false;
  }
  return true;
}

// "Mon, 30 Nov 2026 08:03:50 GMT" (RFC 9110 section 5.6.7).
std::string http_date(std::int64_t unix_time) {
  const std::time_t time = unix_time;
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 40> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

}  // namespace

class LibraryDispatcher::Library final : public httplib::Server {
 public:
  explicit Library(const Clock& clock) : clock_(clock) {
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      answer(response);
      return HandlerResponse::Handled;
    });
    set_post_routing_handler([this](const httplib::Request&, httplib::Response& response) { finish_head(response); });
    // By default the library puts the exception's text into a header (CVE-2026-28434).
    set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      response.status = 500;
      response.headers.clear();
      response.body.clear();
    });
  }

  // What is being answered: a request by its routes, or a response that is there already.
  struct Exchange {
    const Routes* routes = nullptr;
    const HttpRequest* request = nullptr;
    std::optional<HttpReply> reply;
    bool stream_head = false;
    bool close = false;
  };

  void run(Exchange& exchange, std::string_view method, std::string_view path, std::string& out) {
    head_.assign(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: postern\r\n\r\n");
    exchange_ = &exchange;
    MemoryStream stream(head_, out);
    bool closed_by_library = false;
    process_request(stream, exchange.close, closed_by_library, nullptr);
    exchange_ = nullptr;
  }

 private:
  void answer(httplib::Response& to) {
    if (!exchange_->reply) exchange_->reply = exchange_->routes->handle(*exchange_->request);
    auto* response = std::get_if<HttpResponse>(&*exchange_->reply);
    if (response == nullptr) {
      to.status = 202;  // not sent: the reply is to come
      return;
    }
    if (!is_sendable(*response)) *response = HttpResponse{500, {}, ""};
    to.status = response->status;
    for (const HeaderField& field : response->headers.fields()) {
      if (!is_ours(field.name)) {
        to.headers.emplace(field.name, field.value);
      } else if (equal_ignoring_case(field.name, "Connection") && equal_ignoring_case(field.value, "close")) {
        exchange_->close = true;
      }
    }
    to.body = std::move(response->body);
  }

  // Runs when the library has added its own headers, before it writes the head.
  void finish_head(httplib::Response& response) {
    response.headers.erase("Keep-Alive");     // it states the limits of a loop that does not run
    response.headers.erase("Accept-Ranges");  // ranges are not served
    if (exchange_->close) {
      response.headers.erase("Connection");
      response.headers.emplace("Connection", "close");
    }
    if (exchange_->stream_head) {
      response.headers.erase("Content-Length");
      response.headers.emplace("Transfer-Encoding", "chunked");
    } else if (response.status == 204 || response.status == 304) {
      response.headers.erase("Content-Length");  // RFC 9110 section 8.6
      response.body.clear();
    }
    const std::int64_t second = unix_seconds(clock_.now());
    if (second != date_second_) {
      date_ = http_date(second);
      date_second_ = second;
    }
    response.headers.emplace("Date", date_);
  }

  const Clock& clock_;
  Exchange* exchange_ = nullptr;
  std::string head_;
  std::string date_;
  std::int64_t date_second_ = -1;
};

LibraryDispatcher::LibraryDispatcher(const Clock& clock) : library_(std::make_unique<Library>(clock)) {}
LibraryDispatcher::~LibraryDispatcher() = default;

std::optional<HttpReply> LibraryDispatcher::dispatch(const Routes& routes, const HttpRequest& request, bool& close,
                                                     std::string& out) {
  Library::Exchange exchange;
  exchange.routes = &routes;
  exchange.request = &request;
  exchange.close = close;
  const std::size_t before = out.size();
  // The path only: a query may hold an authorization code, and the library would keep a decoded copy.
  library_->run(exchange, request.method, request.path(), out);
  close = exchange.close;
  if (!exchange.reply || std::holds_alternative<HttpResponse>(*exchange.reply)) return std::nullopt;
  out.resize(before);
  return std::move(exchange.reply);
}

void LibraryDispatcher::format(HttpResponse response, bool head_only, bool& close, std::string& out) {
  Library::Exchange exchange;
  exchange.reply = std::move(response);
  exchange.close = close;
  library_->run(exchange, head_only ? "HEAD" : "GET", "/", out);
  close = exchange.close;
}

void LibraryDispatcher::format_stream_head(const EventStream& stream, std::string& out) {
  HttpResponse head;
  for (const HeaderField& field : stream.headers.fields()) head.headers.add(field.name, field.value);
  head.headers.set("Content-Type", "text/event-stream");
  if (!head.headers.has("Cache-Control")) head.headers.add("Cache-Control", "no-store");
  head.headers.set("X-Accel-Buffering", "no");
  Library::Exchange exchange;
  exchange.reply = std::move(head);
  exchange.close = true;
  exchange.stream_head = true;
  library_->run(exchange, "GET", "/", out);
}

}  // namespace postern

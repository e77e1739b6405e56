#include <algorithm>
#include <exception>
#include <utility>

#include "wire/base/log.h"
#include "wire/transport/http_server.h"

namespace postern {
namespace {

constexpr std::string_view kAllow = "Allow";

// How many characters of the pattern stand for themselves, or nothing when it does not match. An exact match counts one
// more, so that it wins over "*" behind the same text.
std::optional<std::size_t> match_length(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with('*')) {
    if (pattern != path) return std::nullopt;
    return pattern.size() + 1;
  }
  pattern.remove_suffix(1);
  if (path.size() <= pattern.size() || !path.starts_with(pattern)) return std::nullopt;
  return pattern.size();
}

HttpReply run(const HttpHandler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (...) {
    // The text may hold anything (a path, SQL, a token): it goes nowhere.
    log_error("a handler threw; answered 500");
    return HttpResponse{500, {}, ""};
  }
}

HttpResponse method_not_allowed(std::vector<std::string> methods) {
  if (std::find(methods.begin(), methods.end(), "GET") != methods.end()) methods.emplace_back("HEAD");
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  std::string allow;
  for (const std::string& method : methods) allow.append(allow.empty() ? "" : ", ").append(method);
  HttpResponse response = text_response(405, "This method is not allowed here.\n");
  response.headers.add(std::string(kAllow), allow);
  return response;
}

}  // namespace

Routes& Routes::add(std::string method, std::string path, HttpHandler handler) {
  routes_.push_back(Route{std::move(method), std::move(path), std::move(handler)});
  return *this;
}

Routes& Routes::add_any(std::string path, HttpHandler handler) {
  return add("", std::move(path), std::move(handler));
}

Routes& Routes::before(std::function<std::optional<HttpResponse>(const HttpRequest&)> check) {
  before_.push_back(std::move(check));
  return *this;
}

Routes& Routes::after(std::function<void(const HttpRequest&, HttpResponse&)> change) {
  after_.push_back(std::move(change));
  return *this;
}

Routes& Routes::fallback(HttpHandler handler) {
  fallback_ = std::move(handler);
  return *this;
}

HttpReply Routes::answer(const HttpRequest& request) const {
  for (const auto& check : before_) {
    HttpReply refusal = run(
        [&check](const HttpRequest& checked) -> HttpReply {
          std::optional<HttpResponse> response = check(checked);
          if (!response) return HttpResponse{0, {}, ""};
          return *std::move(response);
        },
        request);
    if (std::get<HttpResponse>(refusal).status != 0) return refusal;
  }
  std::size_t longest = 0;
  for (const Route& route : routes_) longest = std::max(longest, match_length(route.path, request.path()).value_or(0));
  const HttpHandler* handler = nullptr;
  const HttpHandler* handler_of_get = nullptr;
  std::vector<std::string> methods;
  for (const Route& route : routes_) {
    if (longest == 0 || match_length(route.path, request.path()).value_or(0) != longest) continue;
    methods.push_back(route.method);
    if (handler == nullptr && (route.method == request.method || route.method.empty())) handler = &route.handler;
    if (handler_of_get == nullptr && route.method == "GET") handler_of_get = &route.handler;
  }
  // RFC 9110 section 9.3.2: HEAD is GET without the body, which the server leaves out.
  if (handler == nullptr && request.method == "HEAD") handler = handler_of_get;
  if (handler != nullptr) return run(*handler, request);
  if (!methods.empty()) return method_not_allowed(std::move(methods));
  if (fallback_) return run(fallback_, request);
  return text_response(404, "There is nothing at this path.\n");
}

HttpReply Routes::handle(const HttpRequest& request) const {
  HttpReply reply = answer(request);
  if (after_.empty()) return reply;
  auto* blocking = std::get_if<Blocking>(&reply);
  if (blocking == nullptr) {
    finish_reply(request, reply);
    return reply;
  }
  // What the changes may see later is kept without headers and body: those hold tokens, and the lane would keep them
  // alive.
  HttpRequest kept;
  kept.method = request.method;
  kept.target = request.path();
  return Blocking{[this, kept = std::move(kept), work = std::move(blocking->work)](const std::stop_token& stop) {
    HttpReply later = run([&](const HttpRequest&) { return work(stop); }, kept);
    while (auto* more = std::get_if<Blocking>(&later)) {
      const auto next = std::move(more->work);
      later = run([&](const HttpRequest&) { return next(stop); }, kept);
    }
    finish_reply(kept, later);
    return later;
  }};
}

void Routes::finish_reply(const HttpRequest& request, HttpReply& reply) const {
  if (auto* response = std::get_if<HttpResponse>(&reply)) finish(request, *response);
  if (auto* stream = std::get_if<EventStream>(&reply)) {
    HttpResponse head{200, std::move(stream->headers), ""};
    finish(request, head);
    stream->headers = std::move(head.headers);
  }
}

void Routes::finish(const HttpRequest& request, HttpResponse& response) const {
  try {
    for (const auto& change : after_) change(request, response);
  } catch (...) {
    log_error("a change of a response threw; answered 500");
    response = HttpResponse{500, {}, ""};
  }
}

}  // namespace postern

// I4: over HTTP each request is authenticated by the server itself.
//
// A log shows it where a request came without a token, or with one that does not do: the server must have said 401 or
// 403, and must never have let the same token through to the same call afterwards.

#include <map>

#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

// One credential: its fingerprint alone, or behind a scheme, as a log may have it.
bool is_one_token(std::string_view value) {
  for (const std::string_view scheme : {"Bearer ", "DPoP "}) {
    if (value.substr(0, scheme.size()) == scheme) value.remove_prefix(scheme.size());
  }
  return marks_in(value).size() == 1 && value.front() == '<' && value.back() == '>';
}

class DoorJudge {
 public:
  explicit DoorJudge(Judgement& judgement) : judgement_(judgement) {}

  void judge(const Exchange& exchange) {
    const host::WireEntry& request = *exchange.request;
    if (request.start.find("access_token=") != request.start.npos)
      judgement_.broken(request, "start", "a token stands in the address");
    const std::size_t headers = count_headers(request, "authorization");
    if (exchange.response == nullptr) return;
    if (headers == 0) {
      without_token(exchange);
      return;
    }
    const std::string_view value = header_of(request, "authorization");
    if (headers > 1) judgement_.broken(request, "headers.authorization", "more than one token in a request");
    const std::string token = mark_in(value);
    if (!is_one_token(value)) {
      judgement_.broken(request, "headers.authorization", "no bearer token");
      return;
    }
    with_token(exchange, token);
  }

  [[nodiscard]] std::size_t refused() const { return refused_; }
  [[nodiscard]] std::size_t admitted() const { return admitted_; }

 private:
  void without_token(const Exchange& exchange) {
    if (exchange.status() == 401) {
      ++refused_;
      challenged(exchange, "Bearer");
    } else if (exchange.status() < 400) {
      judgement_.broken(*exchange.response, "start", "a request without a token was answered");
    }
  }

  // What was called: a token may be enough for one tool and not for another.
  static std::string call_of(const Exchange& exchange) {
    return std::string(header_of(*exchange.request, "mcp-method")) + " " +
           std::string(header_of(*exchange.request, "mcp-name"));
  }

  void with_token(const Exchange& exchange, const std::string& token) {
    const int status = exchange.status();
    const std::string leg = std::to_string(exchange.leg) + "/";
    if (status == 401) {
      ++refused_;
      tokens_refused_[leg + token] = exchange.response;
      challenged(exchange, "invalid_token");
    } else if (status == 403) {
      calls_refused_[leg + token + " " + call_of(exchange)] = exchange.response;
      challenged(exchange, "insufficient_scope");
    } else if (status < 300) {
      ++admitted_;
      if (tokens_refused_.count(leg + token) != 0)
        judgement_.broken(*exchange.response, "start", "a token that was refused before was let through");
      if (calls_refused_.count(leg + token + " " + call_of(exchange)) != 0)
        judgement_.broken(*exchange.response, "start",
                          "a call was let through with the token that was not enough for it");
    }
  }

  void challenged(const Exchange& exchange, std::string_view word) {
    if (header_of(*exchange.response, "www-authenticate").find(word) == std::string_view::npos)
      judgement_.broken(*exchange.response, "headers.www-authenticate",
                        "a refusal that does not say " + std::string(word));
  }

  Judgement& judgement_;
  std::map<std::string, const host::WireEntry*> tokens_refused_;
  std::map<std::string, const host::WireEntry*> calls_refused_;
  std::size_t refused_ = 0;
  std::size_t admitted_ = 0;
};

}  // namespace

Finding each_request_is_authenticated(const Evidence& /*evidence*/, const RunView& view) {
  Judgement judgement;
  DoorJudge judge(judgement);
  bool http = false;
  for (const Exchange& exchange : view.exchanges) {
    if (exchange.peer != "server" || exchange.host != view.desk || exchange.request->method() != "POST") continue;
    http = true;
    judge.judge(exchange);
  }
  if (judge.refused() > 0) {
    judgement.seen(std::to_string(judge.refused()) + " requests without a valid token were refused, " +
                   std::to_string(judge.admitted()) + " with one token each were let through");
  }
  return judgement.finding(!http ? "nothing was sent to the desk over HTTP"
                                 : "no request without a valid token was made, so that no refusal could be seen");
}

}  // namespace postern::lab

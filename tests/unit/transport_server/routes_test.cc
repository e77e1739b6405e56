#include <gtest/gtest.h>

#include <stdexcept>

#include "wire/transport/http_server.h"

namespace postern {
namespace {

HttpHandler says(std::string text) {
  return [text = std::move(text)](const HttpRequest&) { return text_response(200, text); };
}

HttpResponse ask(const Routes& routes, std::string method, std::string target) {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  HttpReply reply = routes.handle(request);
  if (auto* blocking = std::get_if<Blocking>(&reply)) reply = blocking->work({});
  return std::get<HttpResponse>(reply);
}

Routes some_routes() {
  Routes routes;
  routes.add("GET", "/a", says("get a")).add("POST", "/a", says("post a"));
  routes.add("GET", "/a/*", says("below a")).add("GET", "/a/b/*", says("below b")).add("GET", "/a/b/c", says("c"));
  routes.add_any("/any", says("any"));
  return routes;
}

TEST(Routes, MatchMethodAndPathExactly) {
  const Routes routes = some_routes();
  EXPECT_EQ(ask(routes, "GET", "/a").body, "get a");
  EXPECT_EQ(ask(routes, "GET", "/a?q=/b").body, "get a");
  EXPECT_EQ(ask(routes, "POST", "/a").body, "post a");
  EXPECT_EQ(ask(routes, "GET", "/A").status, 404);
  EXPECT_EQ(ask(routes, "GET", "/aa").status, 404);
  EXPECT_EQ(ask(routes, "GET", "/%61").status, 404);
}

TEST(Routes, LetTheLongestMatchWin) {
  const Routes routes = some_routes();
  EXPECT_EQ(ask(routes, "GET", "/a/x").body, "below a");
  EXPECT_EQ(ask(routes, "GET", "/a/b/x").body, "below b");
  EXPECT_EQ(ask(routes, "GET", "/a/b/c").body, "c");
  EXPECT_EQ(ask(routes, "GET", "/a/b/").body, "below a");
  EXPECT_EQ(ask(routes, "GET", "/a/").status, 404);
}

TEST(Routes, AnswerAnotherMethodWith405AndAllow) {
  const Routes routes = some_routes();
  const HttpResponse response = ask(routes, "DELETE", "/a");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(*response.headers.find("Allow"), "GET, HEAD, POST");
  EXPECT_EQ(ask(routes, "POST", "/a/b/c").status, 405);
  EXPECT_EQ(ask(routes, "DELETE", "/any").body, "any");
}

TEST(Routes, GiveHeadToTheHandlerOfGet) {
  Routes routes = some_routes();
  EXPECT_EQ(ask(routes, "HEAD", "/a").body, "get a");
  routes.add("HEAD", "/a", says("head a"));
  EXPECT_EQ(ask(routes, "HEAD", "/a").body, "head a");
}

TEST(Routes, RunChecksBeforeEverythingElse) {
  Routes routes = some_routes();
  int asked = 0;
  routes.add("GET", "/counted", [&asked](const HttpRequest&) {
    ++asked;
    return text_response(200, "counted");
  });
  bool open = false;
  routes.before([&open](const HttpRequest&) -> std::optional<HttpResponse> {
    if (open) return std::nullopt;
    return text_response(403, "closed");
  });
  EXPECT_EQ(ask(routes, "GET", "/counted").status, 403);
  EXPECT_EQ(ask(routes, "GET", "/none").status, 403);
  EXPECT_EQ(ask(routes, "DELETE", "/a").status, 403);
  EXPECT_EQ(asked, 0);
  open = true;
  EXPECT_EQ(ask(routes, "GET", "/counted").status, 200);
  EXPECT_EQ(asked, 1);
}

TEST(Routes, ChangeEveryResponseAfterwards) {
  Routes routes = some_routes();
  routes.add("GET", "/throws", [](const HttpRequest&) -> HttpReply { throw std::runtime_error("secret"); });
  routes.add("GET", "/later", [](const HttpRequest&) -> HttpReply {
    return Blocking{[](std::stop_token) -> HttpReply {
      return Blocking{[](std::stop_token) { return text_response(202, "later"); }};
    }};
  });
  routes.add("GET", "/later-throws",
             [](const HttpRequest&) -> HttpReply { return Blocking{[](std::stop_token) -> HttpReply { throw 1; }}; });
  routes.after([](const HttpRequest& request, HttpResponse& response) {
    response.headers.add("X-Frame-Options", "DENY");
    response.headers.add("X-Path", std::string(request.path()));
  });
  for (const auto& [path, status] : std::vector<std::pair<std::string, int>>{
           {"/a", 200}, {"/none", 404}, {"/throws", 500}, {"/later", 202}, {"/later-throws", 500}}) {
    const HttpResponse response = ask(routes, "GET", path);
    EXPECT_EQ(response.status, status) << path;
    ASSERT_TRUE(response.headers.has("X-Frame-Options")) << path;
    EXPECT_EQ(*response.headers.find("X-Path"), path);
  }
  EXPECT_EQ(*ask(routes, "PUT", "/a").headers.find("X-Frame-Options"), "DENY");
}

TEST(Routes, ChangeTheHeadersOfStreamsToo) {
  Routes routes;
  routes.add("GET", "/events", [](const HttpRequest&) { return EventStream::open({{"X-Own", "1"}}).first; });
  routes.after([](const HttpRequest&, HttpResponse& response) { response.headers.add("X-After", "1"); });
  HttpRequest request;
  request.method = "GET";
  request.target = "/events";
  const HttpReply reply = routes.handle(request);
  EXPECT_TRUE(std::get<EventStream>(reply).headers.has("X-Own"));
  EXPECT_TRUE(std::get<EventStream>(reply).headers.has("X-After"));
}

TEST(Routes, FallBackWhereNothingMatches) {
  Routes routes = some_routes();
  routes.fallback([](const HttpRequest&) { return text_response(410, "gone"); });
  EXPECT_EQ(ask(routes, "GET", "/none").status, 410);
  EXPECT_EQ(ask(routes, "DELETE", "/a").status, 405);
}

TEST(Routes, HideTheTextOfAnException) {
  Routes routes;
  routes.add("GET", "/throws", [](const HttpRequest&) -> HttpReply { throw std::runtime_error("secret"); });
  routes.add("GET", "/works", says("works"));
  const HttpResponse response = ask(routes, "GET", "/throws");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, "");
  EXPECT_TRUE(response.headers.fields().empty());
  EXPECT_EQ(ask(routes, "GET", "/works").body, "works");
}

}  // namespace
}  // namespace postern

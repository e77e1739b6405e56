// Proves that health is told on a listener of its own, by what the desk needs, and without detail.
#include "services/desk/health.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/unit/desk/desk_world.h"

namespace postern::desk {
namespace {

class DeskHealth : public testing::Test {
 protected:
  HttpResponse get(const char* target, const char* host = "127.0.0.1:8939") {
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    request.headers.add("Host", host);
    return std::get<HttpResponse>(routes_.handle(request));
  }
  [[nodiscard]] std::string file(const std::string& name) const { return world_.folder_ / name; }
  void expect_unavailable(const std::string& why) {
    const HttpResponse response = get("/healthz");
    EXPECT_EQ(response.status, 503) << why;
    EXPECT_EQ(response.body, R"({"status":"unavailable"})") << why;
  }
  test::DeskWorld world_;
  Routes routes_ = world_.desk->health().routes(*parse_uri("http://127.0.0.1:8939"));
};

TEST_F(DeskHealth, IsGoodWhileEverythingIsThere) {
  const HttpResponse response = get("/healthz");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"status":"ok"})");
  EXPECT_EQ(*response.headers.find("Cache-Control"), "no-store");
}

TEST_F(DeskHealth, EndsWithTheKeyRing) {
  ASSERT_EQ(::chmod(file("key-ring.json").c_str(), 0644), 0);
  expect_unavailable("others may read the ring");
  ASSERT_EQ(::chmod(file("key-ring.json").c_str(), 0600), 0);
  EXPECT_EQ(get("/healthz").status, 200);
  std::filesystem::remove(file("key-ring.json"));
  expect_unavailable("no ring");
  EXPECT_FALSE(file_exists(file("key-ring.json")));  // looking makes none
}

TEST_F(DeskHealth, EndsWithEachDatabase) {
  for (const char* name : {"customers", "orders", "returns", "desk"}) {
    const std::string path = file("db/" + std::string(name) + ".sqlite");
    std::filesystem::rename(path, path + ".away");
    expect_unavailable(name);
    std::filesystem::rename(path + ".away", path);
    EXPECT_EQ(get("/healthz").status, 200) << name;
  }
}

TEST_F(DeskHealth, IsServedByItsOwnNamesOnly) {
  EXPECT_EQ(get("/healthz", "localhost:8939").status, 200);
  EXPECT_EQ(get("/healthz", "evil.example.com").status, 403);
  EXPECT_EQ(get("/healthz", test::kHostAuthority).status, 403);
  EXPECT_EQ(get("/mcp").status, 404);
}

}  // namespace
}  // namespace postern::desk

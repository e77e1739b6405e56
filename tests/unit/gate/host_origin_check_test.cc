#include "services/gate/host_origin_check.h"

#include <gtest/gtest.h>

namespace postern::services {
namespace {

// The status of the refusal, or 200.
int status_of(std::initializer_list<HeaderField> headers) {
  const HostOriginCheck check({"127.0.0.1:8931", "localhost:8931"}, {"http://127.0.0.1:8931"});
  HttpRequest request;
  request.headers = headers;
  const auto refusal = check(request);
  return refusal ? refusal->status : 200;
}

TEST(HostOriginCheck, AdmitsItsOwnNamesWithoutAnOriginOrWithItsOwn) {
  EXPECT_EQ(status_of({{"Host", "127.0.0.1:8931"}}), 200);
  EXPECT_EQ(status_of({{"host", "localhost:8931"}}), 200);
  EXPECT_EQ(status_of({{"Host", "127.0.0.1:8931"}, {"Origin", "http://127.0.0.1:8931"}}), 200);
}

TEST(HostOriginCheck, RefusesForeignHosts) {
  for (const char* host : {"evil.test", "127.0.0.1", "127.0.0.1:8932", "127.0.0.1.evil.test:8931", "LOCALHOST:8931",
                           "127.0.0.1:8931.", "127.0.0.1%3A8931", "[::1]:8931", ""}) {
    EXPECT_EQ(status_of({{"Host", host}}), 403) << host;
  }
}

TEST(HostOriginCheck, RefusesForeignOrigins) {
  for (const char* origin : {"null", "http://evil.test", "http://127.0.0.1.evil.test", "http://127.0.0.1:9999",
                             "https://127.0.0.1:8931", "http://localhost:8931", "http://127.0.0.1:8931/", ""}) {
    EXPECT_EQ(status_of({{"Host", "127.0.0.1:8931"}, {"Origin", origin}}), 403) << origin;
  }
  EXPECT_EQ(
      status_of({{"Host", "127.0.0.1:8931"}, {"Origin", "http://127.0.0.1:8931"}, {"Origin", "http://127.0.0.1:8931"}}),
      403);
}

TEST(HostOriginCheck, RefusesNoHostAndTwoHosts) {
  EXPECT_EQ(status_of({}), 400);
  EXPECT_EQ(status_of({{"Host", "127.0.0.1:8931"}, {"Host", "evil.test"}}), 400);
  EXPECT_EQ(status_of({{"Host", "127.0.0.1:8931"}, {"Host", "127.0.0.1:8931"}}), 400);
}

TEST(HostOriginCheck, KnowsTheNamesOfWhatIsServedAtAnOrigin) {
  const auto status = [](const char* origin, HeaderList headers) {
    HttpRequest request;
    request.headers = std::move(headers);
    const auto refusal = host_origin_check_of(*parse_uri(origin))(request);
    return refusal ? refusal->status : 200;
  };
  for (const char* name : {"127.0.0.1:8443", "localhost:8443"}) {
    EXPECT_EQ(status("https://localhost:8443/mcp", {{"Host", name}}), 200);
    EXPECT_EQ(status("https://localhost:8443/mcp", {{"Host", name}, {"Origin", std::string("https://") + name}}), 200);
    EXPECT_EQ(status("https://localhost:8443/mcp", {{"Host", name}, {"Origin", std::string("http://") + name}}), 403);
    EXPECT_EQ(status("https://desk.example.com/mcp", {{"Host", name}}), 403);
  }
  EXPECT_EQ(status("https://desk.example.com/mcp", {{"Host", "desk.example.com"}}), 200);
  EXPECT_EQ(status("https://desk.example.com/mcp",
                   {{"Host", "desk.example.com"}, {"Origin", "https://desk.example.com.evil.test"}}),
            403);
}

}  // namespace
}  // namespace postern::services

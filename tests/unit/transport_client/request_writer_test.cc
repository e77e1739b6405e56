// What may go out as a request, and what would be read as two.
#include "wire/transport/request_writer.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern {
namespace {

const Uri kUri = *parse_uri("http://127.0.0.1:8931/mcp?x=1");

HttpRequest post() {
  return HttpRequest{"POST", "", {{"Content-Type", "application/json"}, {"Mcp-Name", "get_order"}}, "{}", ""};
}

TEST(RequestWriter, WritesOneRequest) {
  EXPECT_EQ(
      *write_request(kUri, post(), true),
      "POST /mcp?x=1 HTTP/1.1\r\nHost: 127.0.0.1:8931\r\nContent-Type: application/json\r\nMcp-Name: get_order\r\n"
      "Content-Length: 2\r\n\r\n{}");
  EXPECT_EQ(*write_request(kUri, HttpRequest{"GET", "/other", {}, "", ""}, false),
            "GET /other HTTP/1.1\r\nHost: 127.0.0.1:8931\r\nConnection: close\r\n\r\n");
  HttpRequest empty = post();
  empty.body.clear();
  EXPECT_NE(write_request(kUri, empty, true)->find("Content-Length: 0\r\n"), std::string::npos);
}

TEST(RequestWriter, RefusesWhatWouldStartAHeaderOfItsOwn) {
  for (const std::string& value : {std::string("a\r\nX-Injected: 1"), std::string("a\nb"), std::string("a\rb"),
                                   std::string("a\0b", 3), std::string("\x7f")}) {
    HttpRequest request = post();
    request.headers.add("X-Text", value);
    const auto written = write_request(kUri, request, true);
    EXPECT_TRUE(test::refused(written, "transport.unsendable"));
    EXPECT_EQ(written.error().text().find("Injected"), std::string::npos);
    EXPECT_NE(written.error().text().find("X-Text"), std::string::npos);
  }
  HttpRequest allowed = post();
  allowed.headers.add("X-Text", "a\tb, \xC3\xBC");
  EXPECT_TRUE(test::succeeded(write_request(kUri, allowed, true)));
}

TEST(RequestWriter, RefusesNamesThatAreNoTokens) {
  for (const std::string& name :
       {std::string("X Y"), std::string("X:"), std::string(""), std::string("X\r\nY"), std::string("X\0", 2)}) {
    HttpRequest request = post();
    request.headers.add(name, "v");
    EXPECT_TRUE(test::refused(write_request(kUri, request, true), "transport.unsendable"));
  }
}

TEST(RequestWriter, RefusesFramingThatIsNotItsOwn) {
  for (const char* name :
       {"Host", "content-length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Expect", "Upgrade"}) {
    HttpRequest request = post();
    request.headers.add(name, "1");
    EXPECT_TRUE(test::refused(write_request(kUri, request, true), "transport.unsendable")) << name;
  }
}

TEST(RequestWriter, RefusesTargetsAndMethodsThatSplit) {
  for (const std::string target : {"/a b", "/a\r\nX: 1", "mcp", "/a#b", "/\xC3\xBC"}) {
    HttpRequest request = post();
    request.target = target;
    EXPECT_TRUE(test::refused(write_request(kUri, request, true), "transport.unsendable")) << target;
  }
  HttpRequest request = post();
  request.method = "POST /x HTTP/1.1\r\n";
  EXPECT_TRUE(test::refused(write_request(kUri, request, true), "transport.unsendable"));
}

}  // namespace
}  // namespace postern

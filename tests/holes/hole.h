// One row of the tables of holes, and how rows are tried.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/holes/target.h"
#include "tests/support/raw_connection.h"

namespace postern::holes {

inline constexpr std::string_view kPost = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n";
inline constexpr std::string_view kGet = "GET /health HTTP/1.1\r\nHost: x\r\n";

// Bytes that a hostile peer sends, and what comes back. Every row ends with the connection closed.
struct Hole {
  int number;
  std::string name;
  std::string head;             // sent first
  std::string rest;             // sent behind it, once in the same segment and once later
  std::vector<int> statuses;    // of all replies until the server closes
  std::string contains = {};    // bytes of the reply
  std::string lacks = "ADMIN";  // bytes that are in no reply
};

inline std::string post(std::string_view headers) {
  return std::string(kPost) + std::string(headers) + "\r\n";
}
inline std::string get(std::string_view headers) {
  return std::string(kGet) + std::string(headers) + "\r\n";
}
inline std::string request_line(std::string_view line) {
  return std::string(line) + "\r\nHost: x\r\n\r\n";
}
inline std::string length_of(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n";
}
// The last request of a row that is served: after it the server closes, and the row ends.
inline std::string last_get() {
  return get("Connection: close\r\n");
}

// Tries rows on one server: the parameter says whether head and rest come in segments of their own. After each row the
// next connection is served.
class HoleTest : public testing::TestWithParam<bool> {
 protected:
  void try_rows(const std::vector<Hole>& rows) {
    const bool apart = GetParam();
    for (const Hole& row : rows) {
      SCOPED_TRACE(std::to_string(row.number) + ": " + row.name);
      test::RawConnection connection(target_.port());
      if (apart && !row.rest.empty()) {
        connection.send(row.head);
        connection.anything_within(5);  // so that the rest comes in a segment of its own
        connection.send(row.rest);
      } else {
        connection.send(row.head + row.rest);
      }
      EXPECT_TRUE(connection.closes());
      EXPECT_EQ(test::statuses_in(connection.received()), row.statuses) << connection.received().substr(0, 400);
      EXPECT_NE(connection.received().find(row.contains), std::string::npos) << connection.received().substr(0, 400);
      EXPECT_EQ(connection.received().find(row.lacks), std::string::npos) << connection.received().substr(0, 400);
      EXPECT_EQ(target_.admin_calls(), 0);
      test::RawConnection next(target_.port());
      next.send(get(""));
      const auto reply = next.reply();
      ASSERT_TRUE(reply) << "the next connection was not answered";
      EXPECT_EQ(reply->status, 200);
    }
  }

  Target target_;
};

inline std::string segments(const testing::TestParamInfo<bool>& chosen) {
  return chosen.param ? "Apart" : "Together";
}

}  // namespace postern::holes

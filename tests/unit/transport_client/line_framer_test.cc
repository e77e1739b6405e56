// Lines of any size up to the bound, cut anywhere; a longer one is dropped whole and said.
#include "wire/transport/line_framer.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern {
namespace {

std::string only_line(LineFramer& framer) {
  const auto line = framer.next();
  EXPECT_TRUE(test::succeeded(line));
  if (!line || !*line) {
    ADD_FAILURE() << "no line";
    return {};
  }
  return **line;
}

bool has_line(LineFramer& framer) {
  const auto line = framer.next();
  return line.has_value() && line->has_value();
}

TEST(LineFramer, GivesLinesInOrder) {
  LineFramer framer;
  framer.feed("one\ntwo\nthr");
  EXPECT_EQ(only_line(framer), "one");
  EXPECT_EQ(only_line(framer), "two");
  EXPECT_FALSE(has_line(framer));
  EXPECT_EQ(framer.rest(), "thr");
  framer.feed("ee\n");
  EXPECT_EQ(only_line(framer), "three");
  EXPECT_EQ(framer.rest(), "");
}

TEST(LineFramer, DropsCarriageReturnAndByteOrderMark) {
  LineFramer framer;
  framer.feed("\xEF\xBB\xBF{\"id\":1}\r\n\n{\"id\":2}\r\n");
  EXPECT_EQ(only_line(framer), "{\"id\":1}");
  EXPECT_EQ(only_line(framer), "");
  EXPECT_EQ(only_line(framer), "{\"id\":2}");
}

TEST(LineFramer, KeepsLinesOfEverySizeAroundAPipeBufferWhole) {
  for (const std::size_t size : {65'535U, 65'536U, 65'537U, 65'747U, 4U * 1024 * 1024}) {
    LineFramer framer;
    const std::string line(size, 'x');
    for (std::size_t at = 0; at < line.size(); at += 65'536) {
      framer.feed(std::string_view(line).substr(at, 65'536));
      EXPECT_FALSE(has_line(framer));
    }
    framer.feed("\nnext\n");
    EXPECT_EQ(only_line(framer).size(), size);
    EXPECT_EQ(only_line(framer), "next");
  }
}

TEST(LineFramer, TakesALineAtItsBound) {
  LineFramer framer(8);
  framer.feed("12345678\n");
  EXPECT_EQ(only_line(framer), "12345678");
}

TEST(LineFramer, RefusesALineOverItsBoundOnceAndReadsOn) {
  LineFramer framer(8);
  framer.feed("123456789\nnext\n");
  EXPECT_TRUE(test::refused(framer.next(), "transport.frame_too_large"));
  EXPECT_EQ(only_line(framer), "next");
  framer.feed("aaaaaaaaaaaa");
  EXPECT_TRUE(test::refused(framer.next(), "transport.frame_too_large"));
  EXPECT_FALSE(has_line(framer));
  framer.feed("bbbbbbbbbb");
  EXPECT_FALSE(has_line(framer));
  framer.feed("\nthen\n");
  EXPECT_EQ(only_line(framer), "then");
}

}  // namespace
}  // namespace postern

// How an internationalised host paints (RFC 3492 section 7.1 has the samples).
#include "bridge/host_letters.h"

#include <gtest/gtest.h>

namespace postern::bridge {
namespace {

TEST(HostLetters, ReadsThePunycodeOfTheRfc) {
  EXPECT_EQ(punycode_decode("egbpdaj6bu4bxfgehfvwxn"),
            U"\u0644\u064A\u0647\u0645\u0627\u0628\u062A\u0643\u0644\u0645\u0648\u0634\u0639\u0631\u0628\u064A\u061F");
  EXPECT_EQ(punycode_decode("ihqwcrb4cv8a8dqg056pqjye"), U"\u4ED6\u4EEC\u4E3A\u4EC0\u4E48\u4E0D\u8BF4\u4E2D\u6587");
  EXPECT_EQ(punycode_decode("Proprostnemluvesky-uyb24dma41a"), U"Pro\u010Dprost\u011Bnemluv\u00ED\u010Desky");
}

TEST(HostLetters, RefusesWhatIsNone) {
  for (const char* bad : {"", "abc-", "a!", "99999999", "\xC3\xA5"}) EXPECT_FALSE(punycode_decode(bad)) << bad;
}

TEST(HostLetters, SaysWhichLettersAndWhetherTheyAreMixed) {
  EXPECT_EQ(host_letters("desk.example.test"), "");
  EXPECT_EQ(host_letters("xn--dsk-bma.example.test"), "paints as \"d\u00e9sk.example.test\", in Latin letters");
  // "apple" with a Cyrillic first letter, and all of it in Cyrillic.
  EXPECT_EQ(host_letters("xn--pple-43d.test"),
            "paints as \"\u0430pple.test\", in Cyrillic and Latin letters mixed in one word");
  EXPECT_EQ(host_letters("xn--80ak6aa92e.test"),
            "paints as \"\u0430\u0440\u0440\u04cf\u0435.test\", in Cyrillic letters");
  EXPECT_EQ(host_letters("xn--!.test"), "is no name that could be written in letters");
}

}  // namespace
}  // namespace postern::bridge

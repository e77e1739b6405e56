#include "wire/transport/trusted_proxies.h"

#include <gtest/gtest.h>

#include "tests/support/raw_connection.h"
#include "tests/support/refused.h"
#include "tests/support/served.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;

std::string canonical(std::string_view text) {
  const std::optional<IpAddress> address = IpAddress::parse(text);
  return address ? address->text() : "refused";
}

TEST(IpAddress, IsReadInOneForm) {
  EXPECT_EQ(canonical("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(canonical("0.0.0.0"), "0.0.0.0");
  EXPECT_EQ(canonical("2001:DB8:0:0::1"), "2001:db8::1");
  EXPECT_EQ(canonical("::1"), "::1");
  EXPECT_EQ(canonical("::ffff:192.0.2.7"), "192.0.2.7");  // the same peer by another name
  EXPECT_EQ(canonical("::ffff:c000:207"), "192.0.2.7");
}

TEST(IpAddress, RefusesWhatIsWrittenInAnyOtherWay) {
  for (const std::string_view text : {"",
                                      " ",
                                      "192.0.2.7 ",
                                      " 192.0.2.7",
                                      "192.0.2",
                                      "192.0.2.7.1",
                                      "192.0.2.256",
                                      "192.0.2.07",
                                      "192.0.2.+7",
                                      "0xC0.0.2.7",
                                      "3221225991",
                                      "192.0.2.7:443",
                                      "192.0.2.7/32",
                                      "[2001:db8::1]",
                                      "2001:db8::1%eth0",
                                      "2001:db8::1::2",
                                      "2001:db8",
                                      ":::",
                                      "12345::",
                                      "g::1",
                                      "localhost",
                                      "unknown",
                                      "_hidden",
                                      "192.0.2.7\n",
                                      "\xe3\x80\x82"
                                      "1.2.3.4",
                                      "1111:2222:3333:4444:5555:6666:255.255.255.255:1"}) {
    EXPECT_EQ(canonical(text), "refused") << text;
  }
  EXPECT_EQ(canonical(std::string_view("192.0.2.7\0", 10)), "refused");
  EXPECT_EQ(canonical(std::string(1000, '1')), "refused");
}

TEST(IpAddress, KnowsLoopback) {
  for (const std::string_view text : {"127.0.0.1", "127.255.0.3", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(IpAddress::parse(text)->is_loopback()) << text;
  }
  for (const std::string_view text : {"128.0.0.1", "10.127.0.1", "::2", "::", "1::1"}) {
    EXPECT_FALSE(IpAddress::parse(text)->is_loopback()) << text;
  }
}

bool in_range(std::string_view range, std::string_view address) {
  return IpRange::parse(range)->contains(*IpAddress::parse(address));
}

TEST(IpRange, HoldsTheAddressesOfItsPrefix) {
  EXPECT_TRUE(in_range("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(in_range("192.0.2.7", "192.0.2.6"));
  EXPECT_TRUE(in_range("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(in_range("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(in_range("192.0.2.128/25", "192.0.2.255"));
  EXPECT_FALSE(in_range("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(in_range("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(in_range("2001:db8::/33", "2001:db8:8000::1"));
  EXPECT_FALSE(in_range("::/1", "10.0.0.1"));  // a range of IPv6 holds no IPv4 address
  EXPECT_TRUE(in_range("::ffff:10.0.0.0/104", "10.2.3.4"));
}

TEST(IpRange, RefusesWhatWouldTrustMoreOrLessThanWasMeant) {
  for (const std::string_view text :
       {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/-1", "10.0.0.0/8 ",
        "10.0.0.0/8/8", "10.0.0.1/8", "2001:db8::1/64", "2001:db8::/129", "0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96",
        "10.0.0.0/255.0.0.0", "10/8", "*", "localhost"}) {
    EXPECT_FALSE(IpRange::parse(text)) << text;
  }
}

TEST(TrustedProxies, NamesWhatItCannotRead) {
  EXPECT_TRUE(test::refused(TrustedProxies::parse({"10.0.0.0/8", "proxy.example"}), "transport.bad_proxy_address"));
  EXPECT_NE(TrustedProxies::parse({"proxy.example"}).error().text().find("proxy.example"), std::string::npos);
}

std::string peer_of(std::string_view connection, const HeaderList& headers) {
  const auto proxies = TrustedProxies::parse({"10.0.0.0/8", "2001:db8:ffff::/48"});
  return proxies->peer_of(*IpAddress::parse(connection), headers).text();
}

TEST(TrustedProxies, AreBelievedAboutTheLastPeerThatIsNoProxy) {
  const auto forwarded = [](std::string value) { return HeaderList{{"X-Forwarded-For", std::move(value)}}; };
  EXPECT_EQ(peer_of("10.0.0.1", forwarded("192.0.2.7")), "192.0.2.7");
  EXPECT_EQ(peer_of("10.0.0.1", forwarded("  2001:DB8::7\t")), "2001:db8::7");
  EXPECT_EQ(peer_of("10.0.0.1", forwarded("192.0.2.7, 10.0.0.2,10.0.0.3")), "192.0.2.7");
  // What the peer itself has written stands to the left, and is not looked at.
  EXPECT_EQ(peer_of("10.0.0.1", forwarded("127.0.0.1, 192.0.2.7")), "192.0.2.7");
  EXPECT_EQ(peer_of("10.0.0.1", forwarded("'; drop table, 192.0.2.7")), "192.0.2.7");
  EXPECT_EQ(peer_of("10.0.0.1", {{"X-Forwarded-For", "127.0.0.1"}, {"x-forwarded-for", "192.0.2.7"}}), "192.0.2.7");
  EXPECT_EQ(peer_of("10.0.0.1", {{"X-Forwarded-For", "192.0.2.7"}, {"X-Forwarded-For", "10.0.0.9"}}), "192.0.2.7");
}

TEST(TrustedProxies, StandForThemselvesWhenTheySayNothingThatCanBeRead) {
  const auto forwarded = [](std::string value) { return HeaderList{{"X-Forwarded-For", std::move(value)}}; };
  EXPECT_EQ(peer_of("10.0.0.1", {}), "10.0.0.1");
  for (const std::string value : {"", ",", "192.0.2.7,", "192.0.2.7, unknown", "192.0.2.7:80", "\"192.0.2.7\"",
                                  "[2001:db8::7]", "10.0.0.2", "192.0.2.7, 10.0.0.2, x", "192.0.2.7 10.0.0.2"}) {
    EXPECT_EQ(peer_of("10.0.0.1", forwarded(value)), "10.0.0.1") << value;
  }
  EXPECT_EQ(peer_of("10.0.0.1", {{"Forwarded", "for=192.0.2.7"}, {"X-Real-IP", "192.0.2.7"}}), "10.0.0.1");
}

TEST(TrustedProxies, AreTheOnlyOnesThatAreBelieved) {
  EXPECT_EQ(peer_of("192.0.2.1", {{"X-Forwarded-For", "198.51.100.7"}}), "192.0.2.1");
  EXPECT_EQ(TrustedProxies().peer_of(*IpAddress::parse("127.0.0.1"), {{"X-Forwarded-For", "198.51.100.7"}}).text(),
            "127.0.0.1");
}

TEST(HttpServer, TellsTheHandlerForWhomATrustedProxyAsks) {
  Routes routes;
  routes.add("GET", "/peer", [](const HttpRequest& request) { return text_response(200, request.peer_address); });
  const auto ask = [](const Served& served, std::string_view headers) {
    RawConnection connection(served.port());
    connection.send(
        "GET /peer HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.7\r\n\r\nGET /peer HTTP/1.1\r\nHost: x\r\n" +
        std::string(headers) + "\r\n");
    const std::string first = connection.reply()->body;
    return first + " " + connection.reply()->body;
  };
  Served proxied(routes, {}, nullptr, *TrustedProxies::parse({"127.0.0.1"}));
  EXPECT_EQ(ask(proxied, "X-Forwarded-For: 198.51.100.9\r\n"), "192.0.2.7 198.51.100.9");
  EXPECT_EQ(ask(proxied, ""), "192.0.2.7 127.0.0.1");  // each request for itself
  Served open(routes);
  EXPECT_EQ(ask(open, "X-Forwarded-For: 198.51.100.9\r\n"), "127.0.0.1 127.0.0.1");
}

}  // namespace
}  // namespace postern

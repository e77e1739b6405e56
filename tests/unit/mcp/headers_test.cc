// Proves that headers repeat the body and that a server sees when they do not (MCP 2026-07-28
// basic/transports/streamable-http).
#include "wire/mcp/headers.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern::mcp {
namespace {

using test::refused;
using test::succeeded;

Json schema_of(const char* text) {
  return *parse_json(text);
}

struct SentinelRow {
  const char* value;
  const char* header;
};

class HeaderValue : public testing::TestWithParam<SentinelRow> {};

TEST_P(HeaderValue, GoesThereAndBack) {
  EXPECT_EQ(encode_header_value(GetParam().value), GetParam().header);
  EXPECT_EQ(decode_header_value(GetParam().header), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Values, HeaderValue,
                         testing::Values(SentinelRow{"get_order", "get_order"}, SentinelRow{"a b", "a b"},
                                         SentinelRow{"get_gr\xC3\xB6\xC3\x9F"
                                                     "e",
                                                     "=?base64?Z2V0X2dyw7bDn2U=?="},
                                         SentinelRow{" get_order", "=?base64?IGdldF9vcmRlcg==?="},
                                         SentinelRow{"=?base64?dGVzdA==?=", "=?base64?PT9iYXNlNjQ/ZEdWemRBPT0/PQ==?="},
                                         SentinelRow{"a\tb", "=?base64?YQli?="},
                                         SentinelRow{"",
                                                     "=?base64?"
                                                     "?="},
                                         SentinelRow{"=?BASE64?dGVzdA==?=", "=?BASE64?dGVzdA==?="}));

TEST(DecodedHeaderValue, RefusesBadBase64AndRawBytes) {
  EXPECT_FALSE(decode_header_value("=?base64?***?=").has_value());
  EXPECT_FALSE(decode_header_value("=?base64?dGVzdA?=").has_value());  // no padding
  EXPECT_FALSE(decode_header_value("gr\xC3\xB6\xC3\x9F"
                                   "e")
                   .has_value());
  EXPECT_EQ(decode_header_value("=?base64?dGVzdA=="), "=?base64?dGVzdA==");  // no sentinel: it is what it is
  EXPECT_EQ(decode_header_value(""), "");
}

Json call_params() {
  return schema_of(R"({"name":"get_order","arguments":{"region":"eu","count":42,"deep":{"flag":true}},
                       "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
}

TEST(RequestHeaders, RepeatTheBody) {
  const HeaderList headers = request_headers("tools/call", call_params());
  EXPECT_EQ(*headers.find("content-type"), "application/json");
  EXPECT_EQ(*headers.find("accept"), "application/json, text/event-stream");
  EXPECT_EQ(*headers.find("MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(*headers.find("Mcp-Method"), "tools/call");
  EXPECT_EQ(*headers.find("Mcp-Name"), "get_order");
  EXPECT_TRUE(succeeded(check_headers(headers, "2026-07-28", "tools/call", call_params())));
  EXPECT_FALSE(request_headers("tools/list", call_params()).has("Mcp-Name"));
}

class HeaderCheck : public testing::Test {
 protected:
  // The verdict when one header is given another value; the failure's header must be that one.
  testing::AssertionResult refuses(const char* name, const char* value) {
    HeaderList changed = headers_;
    changed.set(name, value);
    const Status status = check_headers(changed, "2026-07-28", "tools/call", call_params());
    if (!failed_with(status, "mcp.header_mismatch")) return testing::AssertionFailure() << "was not refused";
    if (status.error().as<HeaderMismatch>()->header != name) {
      return testing::AssertionFailure() << "was refused for " << status.error().text();
    }
    return testing::AssertionSuccess();
  }
  HeaderList headers_ = request_headers("tools/call", call_params());
};

TEST_F(HeaderCheck, RefusesEachHeaderThatDiffers) {
  EXPECT_TRUE(refuses("MCP-Protocol-Version", "2025-11-25"));
  EXPECT_TRUE(refuses("Mcp-Method", "Tools/Call"));
  EXPECT_TRUE(refuses("Mcp-Method", "tools/list"));
  EXPECT_TRUE(refuses("Mcp-Name", "get_tracking"));
  EXPECT_TRUE(refuses("Mcp-Name", "GET_ORDER"));
  EXPECT_TRUE(refuses("Mcp-Name", "=?base64?***?="));
}

TEST_F(HeaderCheck, RefusesEachHeaderThatIsMissingOrRepeated) {
  for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
    HeaderList without;
    for (const HeaderField& field : headers_.fields()) {
      if (field.name != name) without.add(field.name, field.value);
    }
    EXPECT_TRUE(refused(check_headers(without, "2026-07-28", "tools/call", call_params()), "mcp.header_mismatch"))
        << name;
    HeaderList twice = headers_;
    twice.add(name, *headers_.find(name));
    EXPECT_TRUE(refused(check_headers(twice, "2026-07-28", "tools/call", call_params()), "mcp.header_mismatch"))
        << name;
  }
}

TEST_F(HeaderCheck, TakesNamesInAnyCaseAndTheSentinelForm) {
  HeaderList headers;
  headers.add("mcp-protocol-version", "2026-07-28");
  headers.add("MCP-METHOD", "tools/call");
  headers.add("mcp-name", "=?base64?Z2V0X29yZGVy?=");
  EXPECT_TRUE(succeeded(check_headers(headers, "2026-07-28", "tools/call", call_params())));
}

TEST(ParamHeaders, AreFoundByPropertiesAlone) {
  const auto found = param_headers_of(schema_of(
      R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
          "deep":{"type":"object","properties":{"flag":{"type":"boolean","x-mcp-header":"Flag"}}}}})"));
  ASSERT_TRUE(succeeded(found));
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].suffix, "Region");
  EXPECT_EQ((*found)[1].path, (std::vector<std::string>{"deep", "flag"}));
}

TEST(ParamHeaders, RefuseAnnotationsThatTheRevisionForbids) {
  const char* forbidden[] = {
      R"({"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
      R"({"type":"object","properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}})",
      R"({"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}})",
      R"({"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A B"}}})",
      R"({"type":"object","properties":{"a":{"type":"string","x-mcp-header":7}}})",
      R"({"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},
                                          "b":{"type":"string","x-mcp-header":"a"}}})",
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
      R"({"type":"object","allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})",
      R"({"type":"object","$defs":{"d":{"type":"string","x-mcp-header":"A"}}})",
  };
  for (const char* text : forbidden)
    EXPECT_TRUE(refused(param_headers_of(schema_of(text)), "mcp.invalid_param_header")) << text;
  EXPECT_TRUE(
      succeeded(param_headers_of(schema_of(R"({"type":"object","properties":{"x-mcp-header":{"type":"string"}}})"))));
}

class ParamHeaderCheck : public testing::Test {
 protected:
  std::vector<ParamHeader> annotated_ = {
      {"Region", {"region"}, "string"}, {"Count", {"count"}, "integer"}, {"Flag", {"deep", "flag"}, "boolean"}};
  Json arguments_ = *call_params().find("arguments");
};

TEST_F(ParamHeaderCheck, AcceptsWhatAClientWrites) {
  const HeaderList headers = request_headers("tools/call", call_params(), annotated_);
  EXPECT_EQ(*headers.find("Mcp-Param-Region"), "eu");
  EXPECT_EQ(*headers.find("Mcp-Param-Count"), "42");
  EXPECT_EQ(*headers.find("Mcp-Param-Flag"), "true");
  EXPECT_TRUE(succeeded(check_param_headers(headers, annotated_, arguments_)));
}

TEST_F(ParamHeaderCheck, MirrorsAnnotatedArgumentsAtTheirExactPlaceAndNoOthers) {
  Json params = call_params();
  params.set("arguments",
             *parse_json(R"({"region":"eu","zone":"b","count":-7,"flag":true,"deep":{"flag":false,"region":"us"}})"));
  const HeaderList headers = request_headers("tools/call", params, annotated_);
  EXPECT_EQ(*headers.find("Mcp-Param-Region"), "eu");
  EXPECT_EQ(*headers.find("Mcp-Param-Count"), "-7");
  EXPECT_EQ(*headers.find("Mcp-Param-Flag"), "false");
  EXPECT_EQ(headers.fields().size(), request_headers("tools/call", params).fields().size() + 3);
}

TEST_F(ParamHeaderCheck, MirrorsNothingForNullAndForWhatIsNotThere) {
  Json params = call_params();
  params.set("arguments", Json::object({{"region", Json()}, {"deep", Json::object()}}));
  EXPECT_EQ(request_headers("tools/call", params, annotated_).fields().size(),
            request_headers("tools/call", params).fields().size());
}

TEST_F(ParamHeaderCheck, MirrorsOnlyIntegersThatEveryReaderHoldsExactly) {
  Json params = call_params();
  for (const std::int64_t safe : {kSafeIntegerMax, -kSafeIntegerMax}) {
    params.find("arguments")->set("count", safe);
    EXPECT_EQ(*request_headers("tools/call", params, annotated_).find("Mcp-Param-Count"), std::to_string(safe));
  }
  for (const Json& unsafe : {Json(kSafeIntegerMax + 1), Json(-kSafeIntegerMax - 1), Json(std::uint64_t{1} << 63U)}) {
    params.find("arguments")->set("count", unsafe);
    EXPECT_FALSE(request_headers("tools/call", params, annotated_).has("Mcp-Param-Count")) << unsafe.dump();
  }
}

TEST_F(ParamHeaderCheck, EncodesWhatAHeaderCannotCarry) {
  const std::pair<const char*, const char*> values[] = {{"gr\u00fc\u00dfe", "=?base64?Z3LDvMOfZQ==?="},
                                                        {" eu", "=?base64?IGV1?="},
                                                        {"a\r\nX: y", "=?base64?YQ0KWDogeQ==?="},
                                                        {"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="}};
  for (const auto& [value, header] : values) {
    Json params = call_params();
    params.find("arguments")->set("region", value);
    EXPECT_EQ(*request_headers("tools/call", params, annotated_).find("Mcp-Param-Region"), header);
  }
}

TEST_F(ParamHeaderCheck, ComparesIntegersAsNumbersAndRefusesOthers) {
  HeaderList headers = request_headers("tools/call", call_params(), annotated_);
  headers.set("Mcp-Param-Count", "42.0");
  EXPECT_TRUE(succeeded(check_param_headers(headers, annotated_, arguments_)));
  headers.set("Mcp-Param-Count", "43");
  EXPECT_TRUE(refused(check_param_headers(headers, annotated_, arguments_), "mcp.header_mismatch"));
  headers.set("Mcp-Param-Count", "42 or so");
  EXPECT_TRUE(refused(check_param_headers(headers, annotated_, arguments_), "mcp.header_mismatch"));
}

// 42.0 is the integer 42 to every reader of the arguments, so it is mirrored as one.
TEST_F(ParamHeaderCheck, AcceptsWhatAClientWritesOfAWholeNumberWithAFraction) {
  Json params = call_params();
  params.find("arguments")->set("count", 42.0);
  const HeaderList headers = request_headers("tools/call", params, annotated_);
  ASSERT_TRUE(headers.has("Mcp-Param-Count"));
  EXPECT_EQ(*headers.find("Mcp-Param-Count"), "42");
  EXPECT_TRUE(succeeded(check_param_headers(headers, annotated_, *params.find("arguments"))));
  params.find("arguments")->set("count", 42.5);
  EXPECT_FALSE(request_headers("tools/call", params, annotated_).has("Mcp-Param-Count"));
}

TEST_F(ParamHeaderCheck, LeavesAValueThatNoHeaderCarriesToTheSchema) {
  const Json odd = Json::object({{"region", Json::array({"eu"})}});
  EXPECT_TRUE(succeeded(check_param_headers(HeaderList(), annotated_, odd)));
  HeaderList headers;
  headers.set("Mcp-Param-Region", "eu");
  EXPECT_TRUE(succeeded(check_param_headers(headers, annotated_, odd)));
  headers.set("Mcp-Param-Region", "=?base64?eu?=");
  EXPECT_TRUE(refused(check_param_headers(headers, annotated_, odd), "mcp.header_mismatch"));
}

TEST_F(ParamHeaderCheck, RefusesMissingHeaderForPresentValueAndHeaderForAbsentOne) {
  HeaderList headers = request_headers("tools/call", call_params(), {annotated_[1], annotated_[2]});
  EXPECT_TRUE(refused(check_param_headers(headers, annotated_, arguments_), "mcp.header_mismatch"));
  arguments_.erase("region");
  EXPECT_TRUE(succeeded(check_param_headers(headers, annotated_, arguments_)));
  arguments_.set("region", Json());
  EXPECT_TRUE(succeeded(check_param_headers(headers, annotated_, arguments_)));
  headers.set("Mcp-Param-Region", "eu");
  EXPECT_TRUE(refused(check_param_headers(headers, annotated_, arguments_), "mcp.header_mismatch"));
}

}  // namespace
}  // namespace postern::mcp

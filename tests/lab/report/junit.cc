// JUnit XML: one testsuite a verb, a testcase a check.

#include <algorithm>
#include <cstdio>

#include "tests/lab/report/report_files.h"
#include "tests/lab/report/shown_text.h"
#include "wire/http_message/html_text.h"

namespace postern::lab {
namespace {

// In an attribute a line feed would be read as a blank (XML 1.0 section 3.3.3).
std::string attribute(std::string_view name, std::string_view value) {
  std::string text;
  append_html_text(text, shown_line(value));
  return " " + std::string(name) + "=\"" + text + "\"";
}

// ">" is escaped everywhere, so that no text ends in "]]>".
std::string content(std::string_view text) {
  std::string out;
  append_html_text(out, shown_text(text));
  return out;
}

std::string seconds(Milliseconds time) {
  char text[32];
  const long long ms = std::max<long long>(time.count(), 0);
  std::snprintf(text, sizeof text, "%lld.%03lld", ms / 1000, ms % 1000);
  return text;
}

// "attack.A6"; a check whose id already begins with its verb keeps it: "fault.slow-peer".
std::string class_name(const Suite& suite, const Check& check) {
  return check.id.rfind(suite.verb + ".", 0) == 0 ? check.id : suite.verb + "." + check.id;
}

// Escaped.
std::string diagnostics(const Check& check) {
  std::string out;
  const auto line = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out += std::string(name) + ": " + content(value) + "\n";
  };
  line("expected", check.expected);
  line("got", check.got);
  line("run", check.run);
  line("next", check.next);
  return out;
}

std::string inside(const Check& check) {
  switch (check.verdict) {
    case Verdict::kPass:
      return check.got.empty() ? std::string() : "      <system-out>" + content(check.got) + "</system-out>\n";
    case Verdict::kFail:
      return "      <failure type=\"fail\"" + attribute("message", "expected " + check.expected) + ">" +
             diagnostics(check) + "</failure>\n";
    case Verdict::kError:
      return "      <error type=\"error\"" + attribute("message", check.got) + ">" + diagnostics(check) + "</error>\n";
    case Verdict::kSkip:
      return "      <skipped" + attribute("message", check.got) + "/>\n";
    case Verdict::kNotObservable:
      return "      <skipped" + attribute("message", "not observable: " + check.got) + "/>\n";
  }
  return "";
}

long count(const Suite& suite, Verdict verdict) {
  return std::count_if(suite.checks.begin(), suite.checks.end(),
                       [verdict](const Check& check) { return check.verdict == verdict; });
}

}  // namespace

std::string as_junit(const Suite& suite) {
  Milliseconds total{0};
  for (const Check& check : suite.checks) total += check.took;
  const std::string counts = " tests=\"" + std::to_string(suite.checks.size()) + "\" failures=\"" +
                             std::to_string(count(suite, Verdict::kFail)) + "\" errors=\"" +
                             std::to_string(count(suite, Verdict::kError)) + "\" skipped=\"" +
                             std::to_string(count(suite, Verdict::kSkip) + count(suite, Verdict::kNotObservable)) +
                             "\" time=\"" + seconds(total) + "\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n";
  out += "  <testsuite" + attribute("name", suite.verb) + counts + ">\n";
  out += "    <properties>\n      <property name=\"target\"" + attribute("value", suite.target) + "/>\n";
  for (const Check& check : suite.checks) {
    if (check.shown_by.empty()) continue;
    out += "      <property" + attribute("name", "shown_by." + check.id) + attribute("value", check.shown_by) + "/>\n";
  }
  out += "    </properties>\n";
  for (const Check& check : suite.checks) {
    out += "    <testcase" + attribute("classname", class_name(suite, check)) + attribute("name", check.name) +
           " time=\"" + seconds(check.took) + "\"";
    const std::string body = inside(check);
    out += body.empty() ? "/>\n" : ">\n" + body + "    </testcase>\n";
  }
  out += "    <system-out>" + content(suite.summary) + "</system-out>\n";
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace postern::lab

// One HTML file: nothing in it is fetched and nothing runs. Readable at 320 px, light and dark. The same bytes are
// well-formed XML, so that any reader of XML can check that no text broke out of its place.

#include <algorithm>
#include <cstdio>

#include "tests/lab/report/report_files.h"
#include "tests/lab/report/shown_text.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/http_message/html_text.h"

namespace postern::lab {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #57606a; --line: #d0d7de;
  --pass: #116329; --fail: #a40e26; --error: #8a4600; --other: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9da7b1; --line: #30363d;
  --pass: #56d364; --fail: #ff8182; --error: #f0a04b; --other: #9da7b1; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 0; }
p { margin: 0 0 .5rem; }
.target, .counts { color: var(--soft); }
ol { list-style: none; margin: 1rem 0 0; padding: 0; }
li { border-top: 1px solid var(--line); border-left: .4rem solid var(--other); padding: .6rem 0 .6rem .8rem; }
li.pass { border-left-color: var(--pass); } li.fail { border-left-color: var(--fail); }
li.error { border-left-color: var(--error); }
.verdict { font-weight: 700; color: var(--other); }
.pass .verdict { color: var(--pass); } .fail .verdict { color: var(--fail); } .error .verdict { color: var(--error); }
dl { margin: .3rem 0 0; display: grid; grid-template-columns: 6rem 1fr; gap: .1rem .6rem; }
dt { color: var(--soft); } dd { margin: 0; white-space: pre-wrap; min-width: 0; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
@media (max-width: 26rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; } }
)";

std::string escaped(std::string_view text) {
  std::string out;
  append_html_text(out, text);
  return out;
}

// As people read it; the class of the list item keeps the machine's word.
std::string_view word_of(Verdict verdict) {
  return verdict == Verdict::kNotObservable ? "not observable" : text_of(verdict);
}

void append_row(std::string& out, std::string_view name, const std::string& value, bool code = false) {
  if (value.empty()) return;
  const std::string shown = escaped(shown_text(value));
  out += "<dt>" + std::string(name) + "</dt><dd>" + (code ? "<code>" + shown + "</code>" : shown) + "</dd>\n";
}

void append_check(std::string& out, const Check& check) {
  out += "<li class=\"" + std::string(text_of(check.verdict)) + "\">\n<h2><span class=\"verdict\">" +
         std::string(word_of(check.verdict)) + "</span> " + escaped(shown_line(check.id)) + " " +
         escaped(shown_line(check.name)) + "</h2>\n<dl>\n";
  append_row(out, "expected", check.expected);
  append_row(out,
             check.verdict == Verdict::kSkip || check.verdict == Verdict::kNotObservable ? std::string_view("why")
                                                                                         : std::string_view("got"),
             check.got);
  append_row(out, "run", check.run, true);
  append_row(out, "next", check.next, true);
  append_row(out, "shown by", check.shown_by);
  out += "<dt>took</dt><dd>" + std::to_string(std::max<std::int64_t>(check.took.count(), 0)) + " ms</dd>\n";
  out += "</dl>\n</li>\n";
}

std::string counts(const Suite& suite) {
  std::string out = std::to_string(suite.checks.size()) + " checks";
  for (const Verdict verdict :
       {Verdict::kPass, Verdict::kFail, Verdict::kError, Verdict::kSkip, Verdict::kNotObservable}) {
    const auto count = std::count_if(suite.checks.begin(), suite.checks.end(),
                                     [verdict](const Check& check) { return check.verdict == verdict; });
    if (count > 0) out += ", " + std::to_string(count) + " " + std::string(word_of(verdict));
  }
  return out;
}

}  // namespace

std::string as_html(const Suite& suite) {
  const std::string title = "postern-lab " + escaped(shown_line(suite.verb));
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-" +
         base64(sha256(kStyle)) + "'; base-uri 'none'; form-action 'none'\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  out += "<meta name=\"referrer\" content=\"no-referrer\"/>\n";
  out += "<title>" + title + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<main>\n";
  out += "<h1>" + title + "</h1>\n<p class=\"target\">" + escaped(shown_line(suite.target)) + "</p>\n";
  out += "<p><strong>" + escaped(shown_line(suite.summary)) + "</strong></p>\n";
  out += "<p class=\"counts\">" + counts(suite) + "</p>\n<ol>\n";
  for (const Check& check : suite.checks) append_check(out, check);
  return out + "</ol>\n</main>\n</body>\n</html>\n";
}

}  // namespace postern::lab

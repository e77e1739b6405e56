#include "tests/lab/html_page.h"

#include <utility>

#include "tests/lab/text_search.h"

namespace postern::lab {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

void append_utf8(std::string& out, unsigned long code) {
  const auto byte = [&out](unsigned long value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | ((code >> 18) & 0x07));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

bool append_entity(std::string& out, std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", " "}, {"hellip", "…"}};
  for (const auto& one : kNamed) {
    if (one.first == name) {
      out += one.second;
      return true;
    }
  }
  if (name.size() < 2 || name.size() > 9 || name[0] != '#') return false;
  const bool hexadecimal = name[1] == 'x' || name[1] == 'X';
  const std::string digits(name.substr(hexadecimal ? 2 : 1));
  if (digits.empty() ||
      digits.find_first_not_of(hexadecimal ? "0123456789abcdefABCDEF" : "0123456789") != std::string::npos) {
    return false;
  }
  append_utf8(out, std::stoul(digits, nullptr, hexadecimal ? 16 : 10));
  return true;
}

std::string decode(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string_view::npos;
    if (end != std::string_view::npos && end - at < 12 && append_entity(out, text.substr(at + 1, end - at - 1))) {
      at = end;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

struct Tag {
  std::string name;  // "/form" for a closing one
  FormFields attributes;
  [[nodiscard]] const std::string* find(std::string_view wanted) const {
    for (const auto& one : attributes) {
      if (one.first == wanted) return &one.second;
    }
    return nullptr;
  }
  [[nodiscard]] std::string get(std::string_view wanted, std::string fallback = "") const {
    const std::string* found = find(wanted);
    return found == nullptr ? std::move(fallback) : *found;
  }
};

// `inside` is what stands between "<" and ">".
Tag read_tag(std::string_view inside) {
  Tag tag;
  std::size_t at = 0;
  while (at < inside.size() && !is_space(inside[at])) ++at;
  tag.name = lower_case(inside.substr(0, at));
  if (tag.name.size() > 1 && tag.name.back() == '/') tag.name.pop_back();
  while (at < inside.size()) {
    while (at < inside.size() && (is_space(inside[at]) || inside[at] == '/')) ++at;
    std::size_t end = at;
    while (end < inside.size() && !is_space(inside[end]) && inside[end] != '=') ++end;
    if (end == at) break;
    std::string name = lower_case(inside.substr(at, end - at));
    std::string value;
    at = end;
    if (at < inside.size() && inside[at] == '=') {
      ++at;
      const char quote = at < inside.size() && (inside[at] == '"' || inside[at] == '\'') ? inside[at] : ' ';
      if (quote != ' ') ++at;
      end = at;
      while (end < inside.size() && (quote == ' ' ? !is_space(inside[end]) : inside[end] != quote)) ++end;
      value = decode(inside.substr(at, end - at));
      at = end + (quote == ' ' ? 0 : 1);
    }
    tag.attributes.emplace_back(std::move(name), std::move(value));
  }
  return tag;
}

// Where a tag that begins at `at` ends; a ">" in a quoted value is not the end.
std::size_t tag_end(std::string_view html, std::size_t at) {
  char quote = 0;
  for (; at < html.size(); ++at) {
    if (quote != 0) {
      if (html[at] == quote) quote = 0;
    } else if (html[at] == '"' || html[at] == '\'') {
      quote = html[at];
    } else if (html[at] == '>') {
      return at;
    }
  }
  return html.size();
}

class Reader {
 public:
  HtmlPage read(std::string_view html) {
    std::size_t at = 0;
    while (at < html.size()) {
      if (html[at] != '<') {
        const std::size_t end = std::min(html.find('<', at), html.size());
        text(decode(html.substr(at, end - at)));
        at = end;
      } else if (html.substr(at, 4) == "<!--") {
        const std::size_t end = html.find("-->", at);
        at = end == std::string_view::npos ? html.size() : end + 3;
      } else {
        const std::size_t end = tag_end(html, at + 1);
        tag(read_tag(html.substr(at + 1, end - at - 1)));
        at = end + 1;
      }
    }
    page_.text = one_line(page_.text);
    page_.title = one_line(page_.title);
    return std::move(page_);
  }

 private:
  void text(const std::string& words) {
    if (hidden_) return;
    if (in_title_) {
      page_.title += words;
      return;
    }
    page_.text += words;
    if (link_) link_->text += words;
    if (button_) button_->text += words;
    if (in_textarea_ && form_) form_->fields.back().second += words;
  }

  void tag(const Tag& tag) {
    if (tag.name == "script" || tag.name == "style") hidden_ = true;
    if (tag.name == "/script" || tag.name == "/style") hidden_ = false;
    if (tag.name == "title") in_title_ = true;
    if (tag.name == "/title") in_title_ = false;
    if (!tag.name.starts_with("/") || tag.name == "/p" || tag.name == "/div") page_.text += ' ';
    if (tag.name == "a" && tag.find("href") != nullptr) link_ = HtmlLink{tag.get("href"), tag.get("aria-label") + " "};
    if (tag.name == "/a" && link_) {
      link_->text = one_line(link_->text);
      page_.links.push_back(*std::exchange(link_, std::nullopt));
    }
    if (tag.name == "form") {
      form_.emplace();
      form_->action = tag.get("action");
      form_->method = lower_case(tag.get("method", "get"));
    }
    if (button_ && tag.name != "/button") button_->text += ' ';
    if (form_) form_tag(tag);
  }

  void form_tag(const Tag& tag) {
    if (tag.name == "input") input(tag);
    if (tag.name == "textarea") {
      form_->fields.emplace_back(tag.get("name"), "");
      if (form_->textarea.empty()) form_->textarea = tag.get("name");
      in_textarea_ = true;
    }
    if (tag.name == "/textarea") in_textarea_ = false;
    if (tag.name == "button" && tag.get("type", "submit") == "submit") {
      button_ = HtmlButton{tag.get("aria-label") + " ", tag.get("name"), tag.get("value")};
    }
    if (tag.name == "/button" && button_) {
      button_->text = one_line(button_->text);
      form_->buttons.push_back(*std::exchange(button_, std::nullopt));
    }
    if (tag.name == "/form") page_.forms.push_back(*std::exchange(form_, std::nullopt));
  }

  void input(const Tag& tag) {
    const std::string type = lower_case(tag.get("type", "text"));
    if (type == "submit") {
      form_->buttons.push_back(HtmlButton{tag.get("value"), tag.get("name"), tag.get("value")});
      return;
    }
    const bool chosen = (type != "radio" && type != "checkbox") || tag.find("checked") != nullptr;
    if (tag.find("name") != nullptr && chosen) form_->fields.emplace_back(tag.get("name"), tag.get("value"));
  }

  HtmlPage page_;
  std::optional<HtmlLink> link_;
  std::optional<HtmlForm> form_;
  std::optional<HtmlButton> button_;
  bool in_title_ = false;
  bool in_textarea_ = false;
  bool hidden_ = false;
};

}  // namespace

bool HtmlForm::fill(std::string_view name, std::string value) {
  for (auto& field : fields) {
    if (field.first == name) {
      field.second = std::move(value);
      return true;
    }
  }
  return false;
}

const HtmlLink* HtmlPage::link(std::string_view words) const {
  for (const HtmlLink& one : links) {
    if (find_ignoring_case(one.text, words) != std::string::npos) return &one;
  }
  return nullptr;
}

std::optional<HtmlPage::Pressable> HtmlPage::button(std::string_view words) const {
  for (const HtmlForm& form : forms) {
    for (const HtmlButton& one : form.buttons) {
      if (find_ignoring_case(one.text, words) != std::string::npos) return Pressable{&form, &one};
    }
  }
  return std::nullopt;
}

HtmlPage read_html(std::string_view html) {
  return Reader().read(html);
}

Result<Uri> resolve(const Uri& base, std::string_view reference) {
  reference = reference.substr(0, reference.find('#'));
  if (reference.starts_with("http://") || reference.starts_with("https://")) return parse_uri(reference);
  if (reference.starts_with("//")) return parse_uri(base.scheme + ":" + std::string(reference));
  if (reference.empty()) return base;
  if (reference.starts_with("/")) return parse_uri(base.origin() + std::string(reference));
  if (reference.starts_with("?")) return parse_uri(base.origin() + base.path + std::string(reference));
  return parse_uri(base.origin() + base.path.substr(0, base.path.rfind('/') + 1) + std::string(reference));
}

}  // namespace postern::lab

// What a scripted person sees of a page: its links, its forms and its text. A reader for the pages of this project, not
// for the web: it knows tags, attributes, comments and the entities that our pages write, and it runs no script.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/uri.h"

namespace postern::lab {

struct HtmlLink {
  std::string href;
  std::string text;
};

struct HtmlButton {
  std::string text;  // what is written on it, and its aria-label
  std::string name;
  std::string value;
};

struct HtmlForm {
  std::string action;
  std::string method;               // "get" or "post"
  FormFields fields;                // inputs as they stand: hidden ones, texts, checked boxes; empty textareas too
  std::vector<HtmlButton> buttons;  // those that send the form
  // Sets a field that the form has; false when there is none of that name.
  bool fill(std::string_view name, std::string value);
  // The name of the first textarea; empty when there is none.
  std::string textarea;
};

struct HtmlPage {
  std::string title;
  std::string text;  // without tags; white space is one blank
  std::vector<HtmlLink> links;
  std::vector<HtmlForm> forms;

  // The first link or button whose text holds `words`, without case.
  [[nodiscard]] const HtmlLink* link(std::string_view words) const;
  struct Pressable {
    const HtmlForm* form;
    const HtmlButton* button;
  };
  [[nodiscard]] std::optional<Pressable> button(std::string_view words) const;
};

[[nodiscard]] HtmlPage read_html(std::string_view html);

// `reference` as it stands on the page at `base`: absolute, "/path", "?query" or a relative path; a fragment is
// dropped.
[[nodiscard]] Result<Uri> resolve(const Uri& base, std::string_view reference);

}  // namespace postern::lab

#include "wire/schema/uri_reference.h"

#include <vector>

namespace postern::schema {
namespace {

// The five parts of RFC 3986 appendix B, each with its delimiter where one belongs to it.
struct Parts {
  std::string_view scheme;     // "https:"
  std::string_view authority;  // "//host"
  std::string_view path;
  std::string_view query;     // "?a=b"
  std::string_view fragment;  // "#x"
};

bool is_scheme(std::string_view text) {
  if (text.empty() || !((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'))) return false;
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.") == text.npos;
}

Parts split(std::string_view text) {
  Parts parts;
  const std::size_t hash = text.find('#');
  if (hash != text.npos) {
    parts.fragment = text.substr(hash);
    text = text.substr(0, hash);
  }
  const std::size_t question = text.find('?');
  if (question != text.npos) {
    parts.query = text.substr(question);
    text = text.substr(0, question);
  }
  const std::size_t colon = text.find(':');
  if (colon != text.npos && is_scheme(text.substr(0, colon))) {
    parts.scheme = text.substr(0, colon + 1);
    text = text.substr(colon + 1);
  }
  if (text.substr(0, 2) == "//") {
    parts.authority = text.substr(0, text.find('/', 2));
    text = text.substr(parts.authority.size());
  }
  parts.path = text;
  return parts;
}

std::string join(std::string_view a, std::string_view b) {
  return std::string(a) + std::string(b);
}

// RFC 3986 section 5.2.4.
std::string remove_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  const bool absolute = !path.empty() && path.front() == '/';
  bool ends_in_folder = false;
  std::size_t start = absolute ? 1 : 0;
  while (start <= path.size()) {
    const std::size_t end = path.find('/', start);
    const std::string_view segment = path.substr(start, end == path.npos ? path.npos : end - start);
    ends_in_folder = segment == "." || segment == "..";
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
    if (end == path.npos) break;
    start = end + 1;
  }
  std::string out = absolute ? "/" : "";
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i > 0) out += '/';
    out += kept[i];
  }
  if (ends_in_folder && !kept.empty()) out += '/';
  return out;
}

}  // namespace

std::string resolve_reference(std::string_view base_text, std::string_view reference) {
  const Parts ref = split(reference);
  if (!ref.scheme.empty() || base_text.empty()) return std::string(reference);
  const Parts base = split(base_text);
  if (!ref.authority.empty()) return join(base.scheme, reference);
  if (ref.path.empty()) {
    const std::string_view query = ref.query.empty() ? base.query : ref.query;
    return join(base.scheme, base.authority) + join(base.path, query) + std::string(ref.fragment);
  }
  std::string path(ref.path);
  if (path.front() != '/') {
    const std::size_t slash = base.path.rfind('/');
    const bool bare_authority = base.path.empty() && !base.authority.empty();
    path = bare_authority ? "/" + path : join(slash == base.path.npos ? "" : base.path.substr(0, slash + 1), path);
  }
  return join(base.scheme, base.authority) + remove_dot_segments(path) + join(ref.query, ref.fragment);
}

std::pair<std::string, std::string> split_fragment(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  if (hash == uri.npos) return {std::string(uri), ""};
  return {std::string(uri.substr(0, hash)), std::string(uri.substr(hash + 1))};
}

}  // namespace postern::schema

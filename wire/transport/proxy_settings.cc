#include "wire/transport/proxy_settings.h"

#include <algorithm>
#include <charconv>

#include "wire/base/bytes.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

struct Setting {
  std::string name;  // the variable that says it; empty: none does
  std::string value;
};

Setting first_of(const Variables& variables, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = variables.find(name);
    if (found != variables.end() && !found->second.empty()) return {std::string(name), found->second};
  }
  return {};
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// "user:password" as it stands before "@", decoded. Nothing when it cannot be sent.
std::optional<ProxyAuthorization> authorization_of(std::string_view written) {
  auto decoded = percent_decode(written);
  if (!decoded || std::any_of(decoded->begin(), decoded->end(), is_control)) return std::nullopt;
  if (decoded->find(':') == std::string::npos) *decoded += ':';
  return ProxyAuthorization::take(std::move(*decoded));
}

Result<std::optional<Proxy>> read_proxy(const Setting& setting) {
  if (setting.name.empty()) return std::optional<Proxy>();
  const auto bad = [&](std::string reason) { return BadProxy{setting.name, std::move(reason)}; };
  std::string_view rest = setting.value;
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    if (lower(rest.substr(0, scheme)) != "http") return bad("only proxies whose URL begins with http:// are known");
    rest.remove_prefix(scheme + 3);
  }
  rest = rest.substr(0, rest.find_first_of("/?#"));
  Proxy proxy;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    auto authorization = authorization_of(rest.substr(0, at));
    if (!authorization)
      return bad("the name and password before \"@\" cannot be read; encode what is special in them as %XX");
    proxy.authorization = *std::move(authorization);
    rest.remove_prefix(at + 1);
  }
  const auto uri = parse_uri("http://" + std::string(rest) + "/");
  if (!uri) return bad("it is no URL of the form http://HOST:PORT");
  proxy.host = uri->host;
  proxy.port = uri->port;
  return std::optional<Proxy>(std::move(proxy));
}

// "host", ".host", "*.host", "host:port", "address", "[address]:port", "range".
std::optional<ProxySettings::Exemption> read_exemption(std::string_view text) {
  ProxySettings::Exemption exemption;
  if (auto range = IpRange::parse(text)) {
    exemption.range = range;
    return exemption;
  }
  if (text.find('/') != std::string_view::npos) return std::nullopt;
  const std::size_t bracket = text.front() == '[' ? text.find(']') : std::string_view::npos;
  const std::size_t colon = bracket == std::string_view::npos ? text.find(':') : text.find(':', bracket);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), exemption.port);
    if (error != std::errc() || end != port.data() + port.size() || exemption.port == 0) return std::nullopt;
    text = text.substr(0, colon);
  }
  if (bracket != std::string_view::npos) {
    if (text.empty() || text.back() != ']') return std::nullopt;
    text = text.substr(1, text.size() - 2);
  }
  if (auto range = IpRange::parse(text)) {
    exemption.range = range;
    return exemption;
  }
  if (text.substr(0, 1) == "*") text.remove_prefix(1);
  if (text.substr(0, 1) == ".") text.remove_prefix(1);
  if (text.empty() || text.find_first_of("*[]:") != std::string_view::npos) return std::nullopt;
  exemption.host = lower(text);
  return exemption;
}

Status read_exemptions(const Setting& setting, ProxySettings& settings) {
  std::string_view rest = setting.value;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (entry.empty()) continue;
    if (entry == "*") {
      settings.everything_is_exempt = true;
      continue;
    }
    auto exemption = read_exemption(entry);
    if (!exemption) {
      return BadProxy{setting.name, "\"" + visible_line(entry, 80) + "\" in it is no host, address or range"};
    }
    settings.exemptions.push_back(*std::move(exemption));
  }
  return {};
}

bool is_at_or_below(std::string_view host, std::string_view name) {
  if (host.size() < name.size() || host.substr(host.size() - name.size()) != name) return false;
  return host.size() == name.size() || host[host.size() - name.size() - 1] == '.';
}

bool covers(const ProxySettings::Exemption& exemption, const Uri& uri) {
  if (exemption.port != 0 && exemption.port != uri.port) return false;
  if (!exemption.range) return is_at_or_below(uri.host, exemption.host);
  const auto address = IpAddress::parse(uri.host);
  return address && exemption.range->contains(*address);
}

}  // namespace

std::string Proxy::where() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

std::string Proxy::authorization_line() const {
  if (authorization.empty()) return {};
  std::string encoded = base64(authorization.reveal(Passkey<Proxy>{}));
  std::string line = "Proxy-Authorization: Basic " + encoded + "\r\n";
  wipe(encoded);
  return line;
}

const Proxy* ProxySettings::proxy_for(const Uri& uri) const {
  const std::optional<Proxy>& proxy = uri.scheme == "https" ? https : http;
  if (!proxy || everything_is_exempt) return nullptr;
  if (is_loopback_host(uri.host) || is_at_or_below(uri.host, "localhost")) return nullptr;
  const bool exempt = std::any_of(exemptions.begin(), exemptions.end(),
                                  [&uri](const Exemption& exemption) { return covers(exemption, uri); });
  return exempt ? nullptr : &*proxy;
}

Result<std::shared_ptr<const ProxySettings>> proxy_settings_of(const Variables& environment) {
  auto settings = std::make_shared<ProxySettings>();
  POSTERN_TRY(settings->https,
              read_proxy(first_of(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})));
  POSTERN_TRY(settings->http, read_proxy(first_of(environment, {"http_proxy", "all_proxy", "ALL_PROXY"})));
  POSTERN_TRY_VOID(read_exemptions(first_of(environment, {"no_proxy", "NO_PROXY"}), *settings));
  settings->checks_addresses = first_of(environment, {"POSTERN_PROXY_CHECKS_ADDRESSES"}).value == "1";
  return std::shared_ptr<const ProxySettings>(std::move(settings));
}

std::string BadProxy::text() const {
  return "The variable " + variable + " of the environment cannot be used: " + visible_line(reason) +
         ". Nothing was sent. Correct it, or unset it.";
}

}  // namespace postern

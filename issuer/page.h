// What the pages of the issuer have in common: text only, everything escaped, no script, no frame around them.
#pragma once

#include <string>
#include <string_view>

#include "issuer/clients.h"
#include "issuer/tickets.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// Text for HTML content and for attribute values in double quotes; hidden characters have become marks before.
[[nodiscard]] std::string escaped(std::string_view text);
// A term and its value, for a <dl>.
[[nodiscard]] std::string fact(std::string_view name, std::string_view value);
[[nodiscard]] std::string paragraph(std::string_view css_class, std::string_view text);
// The beginning of a form that carries a ticket. `action` is a path of this issuer.
[[nodiscard]] std::string form_start(std::string_view action, const Ticket& ticket);
// A whole page. `body` is HTML; `form_target` is the origin that the answer to its form redirects to, or empty.
[[nodiscard]] HttpResponse html_page(int status, std::string_view title, std::string_view body,
                                     std::string_view form_target = "");

[[nodiscard]] HttpResponse error_page(int status, std::string_view title, std::string_view sentence);
[[nodiscard]] HttpResponse style_sheet();
void set_page_headers(HttpResponse& response, std::string_view form_target);

// "portal.test", or "127.0.0.1:49152" with the port: where an answer goes.
[[nodiscard]] std::string redirect_host(const std::string& redirect_uri);
// The origin for form-action; empty when there is none.
[[nodiscard]] std::string redirect_origin(const std::string& redirect_uri);
// Who asks, in words that a stranger cannot choose: the configured name, the host of the document, or what it calls
// itself in quotation marks.
[[nodiscard]] std::string client_words(const Client& client);

}  // namespace postern::issuer

// Writes an HTTP/1.1 request as bytes, or refuses to.
#pragma once

#include <string>

#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/failures.h"

namespace postern {

// Host, Content-Length and Connection are written here and may not stand in the request, nor may Accept-Encoding or a
// transfer coding. `transport.unsendable` names what cannot be written: a method or header name that is no token, a
// target with anything but visible ASCII in it, a header value with a control character (CR and LF would start a header
// of their own).
[[nodiscard]] Result<std::string> write_request(const Uri& uri, const HttpRequest& request, bool keep_alive);

}  // namespace postern

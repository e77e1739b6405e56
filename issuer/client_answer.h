// How the endpoints for clients read a form and answer: JSON that nobody keeps (RFC 6749 sections 5.1 and 5.2).
#pragma once

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The fields of the body. invalid_request, also when a parameter is there twice.
[[nodiscard]] Result<FormFields> read_client_form(const HttpRequest& request);
[[nodiscard]] HttpResponse client_answer(int status, const Json& json);
// An OAuthError as JSON: 401 with a challenge for invalid_client, otherwise 400; 500 for any other failure.
[[nodiscard]] HttpResponse client_error(const Failure& failure);
// 429: too many of these in a short time.
[[nodiscard]] HttpResponse client_busy(Seconds retry_after);

}  // namespace postern::issuer

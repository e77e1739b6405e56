// How a service of ours answers a failure over HTTP: {"error":{"id":"payment.over_limit","text":"..."}} and a status by
// disposition.
#pragma once

#include "wire/base/failure.h"
#include "wire/http_message/http_message.h"

namespace postern::services {

[[nodiscard]] int http_status_of(Disposition disposition);
// Details of an internal failure stay here; the caller gets its id and one sentence. 503 carries Retry-After.
[[nodiscard]] HttpResponse service_error_response(const Failure& failure);

}  // namespace postern::services

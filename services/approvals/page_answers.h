// The answers of the page that are no facts: refusals, and the way to the sign-in.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "services/approvals/page_visit.h"
#include "wire/transport/http_server.h"

namespace postern::approvals {

// One page for every failure, by its disposition. `id` is the request it was about, for the link back; empty when there
// is none. `visitor` empty: nobody is signed in.
[[nodiscard]] HttpResponse failure_page(const Failure& failure, const PageVisitor& visitor, std::string_view id);
// For a GET without a session: to the sign-in, and back to `next` after it.
[[nodiscard]] HttpResponse to_sign_in(std::string_view next, bool fresh);
[[nodiscard]] std::string sign_in_path(std::string_view next, bool fresh);
// 405 with Allow.
[[nodiscard]] HttpResponse method_not_allowed(std::string_view allow);

// Runs `work` in the blocking lane.
[[nodiscard]] HttpReply in_blocking_lane(std::function<HttpResponse(const std::stop_token&)> work);

// A GET page for a signed-in visitor: who is signed out goes to the sign-in and back to this path.
using VisitorPage = std::function<Result<HttpResponse>(const PageVisit&)>;
[[nodiscard]] HttpReply visitor_page(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id,
                                     VisitorPage page);

}  // namespace postern::approvals

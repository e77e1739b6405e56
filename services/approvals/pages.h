// The pages, each as a function of the parts and the request. Only approval_page.cc calls them.
#pragma once

#include <string_view>

#include "services/approvals/approval_page.h"
#include "wire/transport/http_server.h"

namespace postern::approvals {

// `id` is the part of the path where an approval's id belongs; it may be anything. `parts` must outlive the reply.
[[nodiscard]] HttpReply show_queue(const ApprovalPageParts& parts, const HttpRequest& request);
[[nodiscard]] HttpReply show_audit(const ApprovalPageParts& parts, const HttpRequest& request);
[[nodiscard]] HttpReply show_request(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply show_record(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply show_state(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply show_approve(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply show_deny(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply press_approve(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply press_deny(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply press_withdraw(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id);
[[nodiscard]] HttpReply start_sign_in(const ApprovalPageParts& parts, const HttpRequest& request);
[[nodiscard]] HttpReply end_sign_in(const ApprovalPageParts& parts, const HttpRequest& request);
[[nodiscard]] HttpReply press_sign_out(const ApprovalPageParts& parts, const HttpRequest& request);
[[nodiscard]] HttpReply show_signed_out();

}  // namespace postern::approvals

#include "services/downstream/downstream_log.h"

#include "wire/base/json.h"
#include "wire/base/visible_text.h"

namespace postern::services {

Result<DownstreamLog> DownstreamLog::open(const Clock& clock, const std::string& database_dir, std::string service) {
  POSTERN_TRY_VOID(make_folder(database_dir));
  POSTERN_TRY(LineFile file, LineFile::open(database_dir + "/downstream.jsonl"));
  return DownstreamLog(clock, std::move(file), std::move(service));
}

Status DownstreamLog::append(const DownstreamCall& call) const {
  // Written out member by member: there is a line for each call of each service.
  std::string line = R"({"at":)";
  const auto add = [&line](std::string_view text, std::string_view next) {
    Json::append_quoted(line, text);
    line += next;
  };
  add(rfc3339(clock_->now()), R"(,"service":)");
  add(service_, R"(,"operation":)");
  add(call.operation, R"(,"caller":)");
  add(visible_line(call.caller, 80), R"(,"credential_kind":)");
  add(name_of(call.kind), R"(,"admitted":)");
  line += call.admitted ? "true}" : "false}";
  return file_.append(line);
}

Status ServiceAdmission::admit(std::string_view operation, const PresentedCredential& presented,
                               std::string_view caller) const {
  Status admitted = authentication_.admit(operation, presented);
  POSTERN_TRY_VOID(log_.append({operation, caller, presented.kind(), admitted.has_value()}));
  return admitted;
}

}  // namespace postern::services

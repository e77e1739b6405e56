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
  return file_.append(Json::object({{"at", rfc3339(clock_->now())},
                                    {"service", service_},
                                    {"operation", call.operation},
                                    {"caller", visible_line(call.caller, 80)},
                                    {"credential_kind", name_of(call.kind)},
                                    {"admitted", call.admitted}})
                          .dump());
}

Status ServiceAdmission::admit(std::string_view operation, const PresentedCredential& presented,
                               std::string_view caller) const {
  Status admitted = authentication_.admit(operation, presented);
  POSTERN_TRY_VOID(log_.append({operation, caller, presented.kind(), admitted.has_value()}));
  return admitted;
}

}  // namespace postern::services

// ModelTool: a pinned tool as a model is shown it.
//
// The rule that derives the shown name and schema stands here and nowhere else: host-only tools (open_case) are
// withheld, and each bound argument (case_handle) is taken out of `properties` and `required`. So a model can neither
// choose, leak nor forge its case. Tools of other servers than the desk are shown under their qualified names
// (bridge/tool_names.h). A tool with an x-mcp-header annotation against the rules, where the transport has such
// headers, an input schema that does not compile, or a name that a model API refuses is left out and named.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pins/pin_gate.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/schema/schema.h"

namespace postern::bridge {

class ModelTool {
 public:
  // As the model calls it.
  [[nodiscard]] const std::string& name() const { return name_; }
  // As its server calls it.
  [[nodiscard]] const std::string& served_name() const { return served_name_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const Json& input_schema() const { return input_schema_; }

 private:
  friend class ModelTools;
  ModelTool(std::string name, std::string served_name, std::string description, Json input_schema)
      : name_(std::move(name)),
        served_name_(std::move(served_name)),
        description_(std::move(description)),
        input_schema_(std::move(input_schema)) {}
  std::string name_;
  std::string served_name_;
  std::string description_;
  Json input_schema_;
};

struct ToolBinding {
  std::string server;                                  // our word for it; empty: the desk
  bool mirrors_parameters = true;                      // of the transport
  std::set<std::string, std::less<>> host_only;        // {"open_case"}
  std::set<std::string, std::less<>> bound_arguments;  // {"case_handle"}
};

class ModelTools {
 public:
  ModelTools(const std::vector<pins::PinnedTool>& tools, ToolBinding binding);

  [[nodiscard]] const std::vector<ModelTool>& shown() const { return shown_; }
  [[nodiscard]] const std::vector<std::pair<std::string, Failure>>& unusable() const { return unusable_; }
  [[nodiscard]] bool is_host_only(std::string_view tool) const { return binding_.host_only.contains(tool); }
  [[nodiscard]] const ToolBinding& binding() const { return binding_; }
  // The tool that a model calls so, or null. Case counts (server/tools, "Tool Names").
  [[nodiscard]] const ModelTool* find(std::string_view name) const;
  // Checks what a model gave against the schema it was shown. schema.mismatch.
  [[nodiscard]] Status check_arguments(std::string_view tool, const Json& arguments) const;

 private:
  ToolBinding binding_;
  std::vector<ModelTool> shown_;
  std::map<std::string, Schema, std::less<>> schemas_;
  std::vector<std::pair<std::string, Failure>> unusable_;
};

struct ToolUnusable {
  static constexpr std::string_view kId = "schema.tool_unusable";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge

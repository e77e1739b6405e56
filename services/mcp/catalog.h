// The tables of a server, compiled: what is looked up on each request. Made by Server only.
//
// Immutable, thread-safe. A request keeps the catalog that it was accepted with.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/mcp/answer.h"
#include "services/mcp/compiled_tool.h"
#include "services/mcp/extension.h"
#include "services/mcp/list_pages.h"
#include "services/mcp/server_features.h"
#include "services/mcp/uri_template.h"
#include "wire/base/result.h"

namespace postern::mcp {

class Catalog {
 public:
  // `mcp.bad_features` names the row that cannot be served.
  [[nodiscard]] static Result<std::shared_ptr<const Catalog>> of_features(ServerFeatures features);

  // Without the rows of the tables below, which moved there.
  [[nodiscard]] const ServerFeatures& features() const { return features_; }
  [[nodiscard]] const ResultWriter& writer() const { return writer_; }
  [[nodiscard]] const std::string& discover_members() const { return discover_members_; }
  [[nodiscard]] const Json& capabilities() const { return capabilities_; }
  // This revision, then the older ones that a block beside the core serves.
  [[nodiscard]] const std::vector<std::string>& supported_versions() const { return supported_versions_; }
  [[nodiscard]] const std::vector<CompiledTool>& tools() const { return tools_; }

  [[nodiscard]] const ListPages& tool_pages(bool over_http) const { return over_http ? http_tools_ : stdio_tools_; }
  [[nodiscard]] const ListPages& resource_pages() const { return resource_pages_; }
  [[nodiscard]] const ListPages& template_pages() const { return template_pages_; }
  [[nodiscard]] const ListPages& prompt_pages() const { return prompt_pages_; }

  [[nodiscard]] bool has_resources() const { return !resources_.empty() || !templates_.empty(); }
  [[nodiscard]] bool has_prompts() const { return !prompts_.empty(); }
  [[nodiscard]] bool has_completers() const { return has_completers_; }
  [[nodiscard]] bool has_subscriptions() const { return features_.lists_change || subscribable_; }

  // Null when there is none of that name for that transport.
  [[nodiscard]] const CompiledTool* find_tool(std::string_view name, bool over_http) const;
  [[nodiscard]] const PromptRow* find_prompt(std::string_view name) const;
  [[nodiscard]] const ResourceTemplateRow* find_template(std::string_view uri_template) const;
  // The row that answers for a URI: a resource, or a template with its variables.
  struct Found {
    const ScopeSet* scopes = nullptr;
    Lane lane = Lane::kLoop;
    bool subscribable = false;
    std::chrono::milliseconds deadline{0};
    const ReadHandler* handler = nullptr;
    std::map<std::string, std::string> variables;
  };
  [[nodiscard]] std::optional<Found> find_resource(std::string_view uri) const;
  [[nodiscard]] const ExtensionMethod* find_method(std::string_view name) const;
  // The extension that a method belongs to.
  [[nodiscard]] std::string_view extension_of(const ExtensionMethod& method) const;

 private:
  explicit Catalog(ServerFeatures features);
  Status compile_tools();
  Status compile_resources();
  Status compile_prompts();
  Status compile_extensions();
  [[nodiscard]] Json capabilities_of_tables() const;
  void write_discover();

  ServerFeatures features_;
  ResultWriter writer_;
  std::vector<CompiledTool> tools_;
  std::vector<ResourceRow> resources_;
  std::vector<std::pair<UriTemplate, ResourceTemplateRow>> templates_;
  std::vector<PromptRow> prompts_;
  std::vector<std::pair<std::string, ExtensionMethod>> methods_;  // with the extension's identifier
  bool has_completers_ = false;
  bool subscribable_ = false;
  Json capabilities_;
  std::vector<std::string> supported_versions_;
  std::string discover_members_;
  ListPages http_tools_;
  ListPages stdio_tools_;
  ListPages resource_pages_;
  ListPages template_pages_;
  ListPages prompt_pages_;
};

}  // namespace postern::mcp

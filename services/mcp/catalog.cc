#include "services/mcp/catalog.h"

#include <algorithm>
#include <set>

#include "services/mcp/failures.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

constexpr std::size_t kNameCharactersMax = 128;

BadFeatures bad(std::string_view row, std::string reason) {
  return {visible_line(row, kNameCharactersMax), std::move(reason)};
}

// A completer for something that the definition does not have would never be asked.
template <class Names>
Status check_completers(std::string_view row, const std::map<std::string, Completer>& completers, const Names& names) {
  for (const auto& [name, completer] : completers) {
    if (!completer) return bad(row, "the completer of " + name + " is missing");
    if (std::find(names.begin(), names.end(), name) == names.end())
      return bad(row, "it completes " + name + ", which it does not have");
  }
  return {};
}

}  // namespace

Catalog::Catalog(ServerFeatures features) : features_(std::move(features)), writer_(features_.server_info) {}

Result<std::shared_ptr<const Catalog>> Catalog::of_features(ServerFeatures features) {
  const std::shared_ptr<Catalog> catalog(new Catalog(std::move(features)));
  POSTERN_TRY_VOID(catalog->compile_tools());
  POSTERN_TRY_VOID(catalog->compile_extensions());
  POSTERN_TRY_VOID(catalog->compile_resources());
  POSTERN_TRY_VOID(catalog->compile_prompts());
  catalog->capabilities_ = catalog->capabilities_of_tables();
  catalog->write_discover();
  return std::shared_ptr<const Catalog>(catalog);
}

Status Catalog::compile_tools() {
  std::vector<Json> http;
  std::vector<Json> stdio;
  for (ToolRow& row : features_.tools) {
    if (find_tool(row.tool.name, true) != nullptr) return bad(row.tool.name, "its name occurs twice");
    if (row.notifies && row.lane != Lane::kBlocking) return bad(row.tool.name, "it notifies from the event loop");
    http.push_back(row.tool.definition);
    if (!row.http_only) stdio.push_back(row.tool.definition);
    POSTERN_TRY(CompiledTool compiled, CompiledTool::of_row(std::move(row)));
    tools_.push_back(std::move(compiled));
  }
  features_.tools.clear();
  const CacheHints hints{features_.list_ttl_ms, features_.cache_scope};
  http_tools_ = ListPages("tools", http, features_.page_size, hints);
  stdio_tools_ = ListPages("tools", stdio, features_.page_size, hints);
  return {};
}

Status Catalog::compile_extensions() {
  std::set<std::string> names;
  for (const auto& extension : features_.extensions) {
    if (extension->identifier().find('/') == std::string_view::npos)
      return bad(extension->identifier(), "an extension's identifier has a prefix");
    for (ExtensionMethod& method : extension->methods()) {
      if (!method.handler) return bad(method.name, "it has no handler");
      if (!names.insert(method.name).second) return bad(method.name, "its name occurs twice");
      methods_.emplace_back(std::string(extension->identifier()), std::move(method));
    }
    for (ResourceRow& row : extension->resources()) features_.resources.push_back(std::move(row));
  }
  return {};
}

Status Catalog::compile_resources() {
  std::vector<Json> definitions;
  std::set<std::string> uris;
  for (ResourceRow& row : features_.resources) {
    const std::string uri(row.definition.string_at("uri"));
    if (!is_absolute_uri(uri)) return bad(uri, "it is no URI with a scheme");
    if (row.definition.string_at("name").empty()) return bad(uri, "it has no name");
    if (!row.handler) return bad(uri, "it has no handler");
    if (!uris.insert(uri).second) return bad(uri, "its URI occurs twice");
    definitions.push_back(row.definition);
    subscribable_ = subscribable_ || row.subscribable;
    resources_.push_back(std::move(row));
  }
  features_.resources.clear();
  std::vector<Json> template_definitions;
  for (ResourceTemplateRow& row : features_.resource_templates) {
    const std::string text(row.definition.string_at("uriTemplate"));
    auto parsed = UriTemplate::parse(text);
    if (!parsed) return bad(text, "it is no URI template of level 1");
    if (row.definition.string_at("name").empty()) return bad(text, "it has no name");
    if (!row.handler) return bad(text, "it has no handler");
    POSTERN_TRY_VOID(check_completers(text, row.completers, parsed->variables()));
    template_definitions.push_back(row.definition);
    subscribable_ = subscribable_ || row.subscribable;
    has_completers_ = has_completers_ || !row.completers.empty();
    templates_.emplace_back(*std::move(parsed), std::move(row));
  }
  features_.resource_templates.clear();
  const CacheHints hints{features_.list_ttl_ms, features_.cache_scope};
  resource_pages_ = ListPages("resources", definitions, features_.page_size, hints);
  template_pages_ = ListPages("resourceTemplates", template_definitions, features_.page_size, hints);
  return {};
}

Status Catalog::compile_prompts() {
  std::vector<Json> definitions;
  for (PromptRow& row : features_.prompts) {
    const std::string name(row.definition.string_at("name"));
    if (name.empty()) return bad("a prompt", "it has no name");
    if (find_prompt(name) != nullptr) return bad(name, "its name occurs twice");
    if (!row.handler) return bad(name, "it has no handler");
    std::vector<std::string> arguments;
    if (const Json* listed = row.definition.find("arguments")) {
      for (const Json& argument : listed->elements()) arguments.emplace_back(argument.string_at("name"));
    }
    POSTERN_TRY_VOID(check_completers(name, row.completers, arguments));
    has_completers_ = has_completers_ || !row.completers.empty();
    definitions.push_back(row.definition);
    prompts_.push_back(std::move(row));
  }
  features_.prompts.clear();
  prompt_pages_ =
      ListPages("prompts", definitions, features_.page_size, CacheHints{features_.list_ttl_ms, features_.cache_scope});
  return {};
}

Json Catalog::capabilities_of_tables() const {
  const Json changing = features_.lists_change ? Json::object({{"listChanged", true}}) : Json::object();
  Json capabilities = Json::object();
  if (!tools_.empty()) capabilities.append_member("tools", changing);
  if (has_resources()) {
    Json resources = changing;
    if (subscribable_) resources.append_member("subscribe", true);
    capabilities.append_member("resources", std::move(resources));
  }
  if (has_prompts()) capabilities.append_member("prompts", changing);
  if (has_completers_) capabilities.append_member("completions", Json::object());
  if (features_.logging) capabilities.append_member("logging", Json::object());
  if (!features_.extensions.empty()) {
    Json extensions = Json::object();
    for (const auto& extension : features_.extensions)
      extensions.set(std::string(extension->identifier()), extension->settings());
    capabilities.append_member("extensions", std::move(extensions));
  }
  return capabilities;
}

void Catalog::write_discover() {
  supported_versions_ = {std::string(kProtocolVersion)};
  supported_versions_.insert(supported_versions_.end(), features_.older_versions.begin(),
                             features_.older_versions.end());
  DiscoverResult discover;
  discover.supported_versions = supported_versions_;
  discover.capabilities = capabilities_;
  discover.instructions = features_.instructions;
  discover.ttl_ms = features_.list_ttl_ms;
  discover.cache_scope = features_.cache_scope;
  const std::string text = to_json(discover).dump();
  discover_members_ = text.substr(1, text.size() - 2);
}

const CompiledTool* Catalog::find_tool(std::string_view name, bool over_http) const {
  for (const CompiledTool& tool : tools_) {
    if (tool.name() == name) return over_http || !tool.row().http_only ? &tool : nullptr;
  }
  return nullptr;
}

const PromptRow* Catalog::find_prompt(std::string_view name) const {
  for (const PromptRow& row : prompts_) {
    if (row.definition.string_at("name") == name) return &row;
  }
  return nullptr;
}

const ResourceTemplateRow* Catalog::find_template(std::string_view uri_template) const {
  for (const auto& [parsed, row] : templates_) {
    if (row.definition.string_at("uriTemplate") == uri_template) return &row;
  }
  return nullptr;
}

std::optional<Catalog::Found> Catalog::find_resource(std::string_view uri) const {
  for (const ResourceRow& row : resources_) {
    if (row.definition.string_at("uri") == uri)
      return Found{&row.scopes, row.lane, row.subscribable, row.deadline, &row.handler, {}};
  }
  for (const auto& [parsed, row] : templates_) {
    if (auto variables = parsed.match(uri))
      return Found{&row.scopes, row.lane, row.subscribable, row.deadline, &row.handler, *std::move(variables)};
  }
  return std::nullopt;
}

const ExtensionMethod* Catalog::find_method(std::string_view name) const {
  for (const auto& [extension, method] : methods_) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string_view Catalog::extension_of(const ExtensionMethod& method) const {
  for (const auto& [extension, known] : methods_) {
    if (&known == &method) return extension;
  }
  return {};
}

}  // namespace postern::mcp

#include "tests/conformance/server/prompts_and_resources.h"

#include <string>
#include <utility>

#include "tests/conformance/server/fixtures.h"
#include "wire/mcp/codec.h"

namespace postern::conformance {
namespace {

Json message(Json content) {
  return Json::object({{"role", "user"}, {"content", std::move(content)}});
}

Result<mcp::PromptOutcome> messages(std::initializer_list<Json> all) {
  return mcp::PromptOutcome(mcp::GetPromptResult{Json::array(all), std::nullopt});
}

mcp::PromptRow prompt(std::string_view name, std::string_view description,
                      std::initializer_list<std::string_view> arguments, mcp::PromptHandler handler) {
  mcp::PromptRow row;
  row.definition = Json::object({{"name", name}, {"description", description}});
  Json listed = Json::array();
  for (const std::string_view argument : arguments)
    listed.push(Json::object({{"name", argument}, {"description", "A text"}, {"required", true}}));
  if (listed.size() != 0) row.definition.set("arguments", std::move(listed));
  row.handler = std::move(handler);
  return row;
}

std::string argument(const mcp::PromptCall& call, std::string_view name) {
  const std::string* value = call.params.argument(name);
  return value == nullptr ? std::string() : *value;
}

Result<mcp::PromptOutcome> ask_for_context(const mcp::PromptCall& call) {
  if (const std::string* context = accepted_string(call.params.input.response("user_context"), "context"))
    return messages({message(mcp::text_block("Use this context: " + *context))});
  return mcp::PromptOutcome(mcp::InputRequiredResult{
      {form("user_context", "What context should the prompt use?", "context", "string")}, std::nullopt});
}

// Two candidates that begin with what was typed.
Result<std::vector<std::string>> complete(const mcp::CompleteCall& call) {
  std::vector<std::string> candidates;
  for (const std::string candidate : {"paris", "park"}) {
    if (candidate.compare(0, call.params.value.size(), call.params.value) == 0) candidates.push_back(candidate);
  }
  return candidates;
}

Result<mcp::ReadOutcome> contents(Json content) {
  return mcp::ReadOutcome(mcp::ReadResourceResult{Json::array({std::move(content)})});
}

mcp::ResourceRow resource(std::string_view uri, std::string_view name, std::string_view mime_type, Json content) {
  mcp::ResourceRow row;
  row.definition =
      Json::object({{"uri", uri}, {"name", name}, {"description", "For the tests"}, {"mimeType", mime_type}});
  row.handler = [content = std::move(content)](const mcp::ReadCall&) { return contents(content); };
  return row;
}

}  // namespace

std::vector<mcp::PromptRow> prompts() {
  mcp::PromptRow with_arguments =
      prompt("test_prompt_with_arguments", "Repeats its arguments", {"arg1", "arg2"}, [](const mcp::PromptCall& call) {
        const std::string text = "arg1='" + argument(call, "arg1") + "', arg2='" + argument(call, "arg2") + "'";
        return messages({message(mcp::text_block(text))});
      });
  with_arguments.completers = {{"arg1", complete}, {"arg2", complete}};
  return {
      prompt("test_simple_prompt", "A text", {},
             [](const mcp::PromptCall&) {
               return messages({message(mcp::text_block("This is a simple prompt for testing."))});
             }),
      std::move(with_arguments),
      prompt("test_prompt_with_embedded_resource", "A resource and a text", {"resourceUri"},
             [](const mcp::PromptCall& call) {
               return messages({message(resource_block(argument(call, "resourceUri"), "text/plain",
                                                       "The text of an embedded resource.")),
                                message(mcp::text_block("Please read the resource above."))});
             }),
      prompt("test_prompt_with_image", "An image and a text", {},
             [](const mcp::PromptCall&) {
               return messages({message(image_block()), message(mcp::text_block("Please look at the image above."))});
             }),
      prompt("test_input_required_result_prompt", "Asks for a context", {}, ask_for_context),
  };
}

mcp::PromptRow dynamic_prompt() {
  return prompt("test_dynamic_prompt", "Comes and goes", {}, [](const mcp::PromptCall&) {
    return messages({message(mcp::text_block("This prompt comes and goes."))});
  });
}

std::vector<mcp::ResourceRow> resources() {
  constexpr std::string_view kText = "test://static-text";
  constexpr std::string_view kBinary = "test://static-binary";
  return {
      resource(kText, "static-text", "text/plain",
               Json::object({{"uri", kText}, {"mimeType", "text/plain"}, {"text", "The text of a resource."}})),
      resource(kBinary, "static-binary", "image/png",
               Json::object({{"uri", kBinary}, {"mimeType", "image/png"}, {"blob", image_base64()}})),
  };
}

std::vector<mcp::ResourceTemplateRow> resource_templates() {
  mcp::ResourceTemplateRow row;
  row.definition = Json::object({{"uriTemplate", "test://template/{id}/data"},
                                 {"name", "template"},
                                 {"description", "For the tests"},
                                 {"mimeType", "application/json"}});
  row.handler = [](const mcp::ReadCall& call) {
    const std::string& id = call.variables.at("id");
    const Json data = Json::object({{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}});
    return contents(Json::object({{"uri", call.params.uri}, {"mimeType", "application/json"}, {"text", data.dump()}}));
  };
  return {std::move(row)};
}

}  // namespace postern::conformance

#include "host/transcript/transcript.h"

#include "wire/base/check.h"

namespace postern::host {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  Json::append_quoted(out, text);
  return out;
}

// The members in the order of the Messages API's own documentation; the order never changes within a run.
std::string tool_json(const bridge::ModelTool& tool) {
  return "{\"name\":" + quoted(tool.name()) + ",\"description\":" + quoted(tool.description()) +
         ",\"input_schema\":" + tool.input_schema().dump() + "}";
}

std::string answer_json(const ToolAnswer& answer) {
  std::string text;
  if (const auto* labeled = std::get_if<bridge::LabeledResult>(&answer.content)) {
    text = labeled->text();
  } else {
    text = std::get<bridge::ModelText>(answer.content).text();
  }
  POSTERN_CHECK(!text.empty());  // an error result without text is refused by the service
  return "{\"type\":\"tool_result\",\"tool_use_id\":" + quoted(answer.tool_use_id) +
         ",\"content\":[{\"type\":\"text\",\"text\":" + quoted(text) + "}]" +
         (answer.is_error ? ",\"is_error\":true}" : "}");
}

}  // namespace

Transcript::Transcript(const bridge::ModelText& system, const std::vector<bridge::ModelTool>& tools,
                       const bridge::ModelText& opening)
    : system_(quoted(system.text())) {
  tools_ = "[";
  for (const bridge::ModelTool& tool : tools) tools_ += (tools_.size() > 1 ? "," : "") + tool_json(tool);
  tools_ += "]";
  append_message("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":" + quoted(opening.text()) + "}]}");
}

void Transcript::append_message(std::string message) {
  if (!messages_.empty()) messages_ += ',';
  messages_ += message;
  lines_.push_back(std::move(message));
}

void Transcript::append_assistant(std::string_view content_json) {
  POSTERN_CHECK(!content_json.empty() && content_json.front() == '[');
  append_message("{\"role\":\"assistant\",\"content\":" + std::string(content_json) + "}");
}

void Transcript::append_answers(const std::vector<ToolAnswer>& answers) {
  POSTERN_CHECK(!answers.empty());
  std::string content;
  for (const ToolAnswer& answer : answers) content += (content.empty() ? "" : ",") + answer_json(answer);
  append_message("{\"role\":\"user\",\"content\":[" + content + "]}");
}

std::string Transcript::serialise() const {
  std::string text = system_ + "\n" + tools_ + "\n";
  for (const std::string& line : lines_) text += line + "\n";
  return text;
}

Result<Transcript> Transcript::read(std::string_view text) {
  Transcript transcript;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return BadTranscript{"its last line is cut off"};
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    JsonBounds bounds;
    bounds.bytes_max = 32 * 1024 * 1024;
    const Result<Json> json = parse_json(line, bounds);
    if (!json) return BadTranscript{"line " + std::to_string(number + 1) + " is no JSON text"};
    if (number == 0) {
      transcript.system_ = line;
    } else if (number == 1) {
      transcript.tools_ = line;
    } else {
      transcript.append_message(std::string(line));
    }
    ++number;
  }
  if (number < 3) return BadTranscript{"it holds no message"};
  return transcript;
}

std::string BadTranscript::text() const {
  return "The transcript of the run cannot be used: " + reason + ".";
}

}  // namespace postern::host

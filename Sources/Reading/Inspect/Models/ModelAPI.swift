internal import TapelineHAR
internal import TapelineBase

/// An interface by which programs call language models.
package enum ModelAPI: String, CaseIterable, Sendable {
  /// OpenAI's chat completions, which many servers have.
  case chat
  /// OpenAI's responses.
  case responses
  /// Anthropic's messages.
  case messages
  case gemini
  case ollama
  /// Bedrock's Converse.
  case bedrock

  /// `nil` for a request that is no call of a model, by its address.
  init?(_ request: HARRequest) {
    guard request.method == "POST", let path = RequestURL(request.url)?.path else { return nil }
    self.init(path: path)
  }

  package init?(path: String) {
    let last = path.split(separator: "/").last ?? ""
    if path.hasSuffix("/chat/completions") {
      self = .chat
    } else if last == "responses" {
      self = .responses
    } else if last == "messages" {
      self = .messages
    } else if last.hasSuffix(":streamGenerateContent") || last.hasSuffix(":generateContent") {
      self = .gemini
    } else if path.hasSuffix("/api/chat") || path.hasSuffix("/api/generate") {
      self = .ollama
    } else if last == "converse-stream" || last == "converse", path.contains("/model/") {
      self = .bedrock
    } else {
      return nil
    }
  }

  /// Whether a body has what the interface wants: other programs have such addresses, too.
  func accepts(_ body: HARValue) -> Bool {
    switch self {
    case .chat: body["messages"] != nil
    case .responses:
      body["model"] != nil && (body["input"] != nil || body["prompt"] != nil || body["previous_response_id"] != nil)
    case .messages: body["model"] != nil && body["max_tokens"] != nil
    case .gemini: body["contents"] != nil
    case .ollama: body["model"] != nil && (body["messages"] != nil || body["prompt"] != nil)
    case .bedrock: body["messages"] != nil
    }
  }

  /// The model that a request asks for; `nil` if only the answer names it.
  func model(in body: HARValue, of request: HARRequest) -> String? {
    switch self {
    case .chat, .responses, .messages, .ollama: return body["model"]?.string
    case .gemini: return Self.part(after: "models", of: request).map { String($0.prefix { $0 != ":" }) }
    // Its names have colons, which may be escaped.
    case .bedrock:
      return Self.part(after: "model", of: request).map { String(decoding: PercentEncoding.decode($0), as: UTF8.self) }
    }
  }

  private static func part(after name: String, of request: HARRequest) -> Substring? {
    let parts = RequestURL(request.url)?.path.split(separator: "/") ?? []
    return parts.firstIndex { $0 == name }.flatMap { $0 + 1 < parts.count ? parts[$0 + 1] : nil }
  }

  /// The members that make the prompt, in the order in which servers keep their prefixes.
  var promptMembers: [String] {
    switch self {
    case .chat: ["tools", "functions", "response_format", "messages"]
    case .responses: ["tools", "instructions", "prompt", "previous_response_id", "input"]
    case .messages: ["tools", "system", "tool_choice", "thinking", "messages"]
    case .gemini: ["tools", "systemInstruction", "system_instruction", "cachedContent", "contents"]
    case .ollama: ["tools", "system", "template", "messages", "prompt"]
    case .bedrock: ["toolConfig", "system", "messages"]
    }
  }

  /// The name of who offers it, in OpenTelemetry's conventions (`gen_ai.provider.name`).
  package var provider: String {
    switch self {
    case .chat, .responses: "openai"
    case .messages: "anthropic"
    case .gemini: "gcp.gemini"
    case .ollama: "ollama"
    case .bedrock: "aws.bedrock"
    }
  }
}

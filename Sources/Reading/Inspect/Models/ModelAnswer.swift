internal import TapelineHAR

/// The answer of a model, put together from the events of a stream, or from one body.
package struct ModelAnswer: Hashable, Sendable {
  /// As the server names it.
  package private(set) var model: String?
  package private(set) var id: String?
  /// Its text, without its reasoning, its calls of tools, and alternatives to its first choice.
  package private(set) var text = ""
  /// The names of the tools that it calls, in order.
  package private(set) var tools: [String] = []
  package private(set) var usage = ModelUsage()
  /// Why it ended, in the words of its server.
  package private(set) var stop: String?
  /// Why it failed, in the words of its server.
  package private(set) var error: String?
  /// Whether reasoning came as content.
  private(set) var showsReasoning = false
  /// Whether the event that is taken has content.
  private var hasContent = false

  /// Takes an event of a stream.
  ///
  /// - Parameter name: the event's name.
  /// - Returns: whether it brings content: words, reasoning, or a part of a call of a tool.
  mutating func take(event value: HARValue, named name: String, _ api: ModelAPI) -> Bool {
    hasContent = false
    takeCommon(value)
    switch api {
    case .chat: takeChat(value)
    case .responses: takeResponseEvent(value)
    case .messages: takeMessageEvent(value)
    case .gemini: takeGemini(value)
    case .ollama: takeOllama(value)
    case .bedrock: takeConverseEvent(value, named: name)
    }
    return hasContent
  }

  /// Takes a body that is the whole answer.
  mutating func take(whole value: HARValue, _ api: ModelAPI) {
    takeCommon(value)
    switch api {
    case .chat: takeChat(value)
    case .responses: takeResponse(value, isWhole: true)
    case .messages: takeMessage(value)
    // A stream of Gemini that was not asked for as events is one array.
    case .gemini: for part in value.array ?? [value] { takeGemini(part) }
    case .ollama: takeOllama(value)
    case .bedrock:
      takeBlocks(value["output"]?["message"]?["content"])
      stop = value["stopReason"]?.string ?? stop
      usage.take(value["usage"], .bedrock)
    }
  }

  private mutating func takeCommon(_ value: HARValue) {
    let failure = value["error"]
    if let message = failure?["message"]?.string ?? failure?.string {
      error = [failure?["type"]?.string ?? failure?["code"]?.string, message].compactMap(\.self).joined(separator: ": ")
    }
    name(model: value["model"] ?? value["modelVersion"], id: value["id"] ?? value["responseId"])
  }

  private mutating func name(model: HARValue?, id: HARValue?) {
    if let name = model?.string, !name.isEmpty { self.model = name }
    if let text = id?.string, !text.isEmpty { self.id = self.id ?? text }
  }

  /// Notes content, which arguments and refusals are, too; `nil` if there is none.
  @discardableResult
  private mutating func pass(_ part: HARValue?) -> String? {
    guard let part = part?.string, !part.isEmpty else { return nil }
    hasContent = true
    return part
  }

  private mutating func say(_ part: HARValue?) { text += pass(part) ?? "" }

  private mutating func reason(_ part: HARValue?) { if pass(part) != nil { showsReasoning = true } }

  private mutating func call(_ tool: HARValue?) { tools += [pass(tool)].compactMap(\.self) }
}

// MARK: OpenAI

extension ModelAnswer {
  private mutating func takeChat(_ value: HARValue) {
    usage.take(value["usage"], .chat)
    for choice in value["choices"]?.array ?? [] where choice["index"]?.integer ?? 0 == 0 {
      let part = choice["delta"] ?? choice["message"] ?? .null
      say(part["content"])
      pass(part["refusal"])
      // The names of servers that are like OpenAI's.
      reason(part["reasoning_content"])
      reason(part["reasoning"])
      for tool in part["tool_calls"]?.array ?? [] {
        call(tool["function"]?["name"])
        pass(tool["function"]?["arguments"])
      }
      stop = choice["finish_reason"]?.string ?? stop
    }
  }

  private mutating func takeResponseEvent(_ value: HARValue) {
    if let response = value["response"] { takeResponse(response, isWhole: false) }
    switch value["type"]?.string {
    case "response.output_text.delta": say(value["delta"])
    case "response.output_item.added": call(toolOfItem(value["item"]))
    case "error": error = value["message"]?.string ?? error
    case let type?:
      guard type.hasSuffix(".delta") else { return }
      if type.contains("reasoning") { reason(value["delta"]) } else { pass(value["delta"]) }
    case nil: break
    }
  }

  /// - Parameter isWhole: whether what it says has not come in events before.
  private mutating func takeResponse(_ value: HARValue, isWhole: Bool) {
    name(model: value["model"], id: value["id"])
    usage.take(value["usage"], .responses)
    error = value["error"]?["message"]?.string ?? error
    if let status = value["status"]?.string, status != "in_progress", status != "queued" {
      stop = value["incomplete_details"]?["reason"]?.string ?? status
    }
    guard isWhole else { return }
    for item in value["output"]?.array ?? [] {
      call(toolOfItem(item))
      for part in item["content"]?.array ?? [] where part["type"]?.string == "output_text" { say(part["text"]) }
    }
  }

  private func toolOfItem(_ item: HARValue?) -> HARValue? {
    guard let type = item?["type"]?.string, type.split(separator: "_").last == "call" else { return nil }
    return item?["name"] ?? .string(type)
  }
}

// MARK: Anthropic

extension ModelAnswer {
  private mutating func takeMessageEvent(_ value: HARValue) {
    switch value["type"]?.string {
    case "message_start": takeMessage(value["message"] ?? .null)
    case "content_block_start": takeBlock(value["content_block"] ?? .null)
    case "content_block_delta":
      let delta = value["delta"] ?? .null
      say(delta["text"])
      reason(delta["thinking"])
      pass(delta["partial_json"])
    case "message_delta":
      stop = value["delta"]?["stop_reason"]?.string ?? stop
      usage.take(value["usage"], .messages)
    case .some, nil: break
    }
  }

  private mutating func takeMessage(_ value: HARValue) {
    name(model: value["model"], id: value["id"])
    usage.take(value["usage"], .messages)
    stop = value["stop_reason"]?.string ?? stop
    for block in value["content"]?.array ?? [] { takeBlock(block) }
  }

  private mutating func takeBlock(_ block: HARValue) {
    switch block["type"]?.string {
    case "text": say(block["text"])
    case "thinking": reason(block["thinking"])
    case "tool_use", "server_tool_use", "mcp_tool_use": call(block["name"])
    case .some, nil: break
    }
  }
}

// MARK: Google, Ollama, Amazon

extension ModelAnswer {
  private mutating func takeGemini(_ value: HARValue) {
    name(model: value["modelVersion"], id: value["responseId"])
    usage.take(value["usageMetadata"], .gemini)
    stop = value["promptFeedback"]?["blockReason"]?.string ?? stop
    guard let candidate = value["candidates"]?.array?.first else { return }
    for part in candidate["content"]?["parts"]?.array ?? [] {
      if part["thought"]?.bool == true { reason(part["text"]) } else { say(part["text"]) }
      call(part["functionCall"]?["name"])
    }
    stop = candidate["finishReason"]?.string ?? stop
  }

  private mutating func takeOllama(_ value: HARValue) {
    let message = value["message"] ?? .null
    say(message["content"] ?? value["response"])
    reason(message["thinking"] ?? value["thinking"])
    for tool in message["tool_calls"]?.array ?? [] { call(tool["function"]?["name"]) }
    stop = value["done_reason"]?.string ?? stop
    usage.take(value, .ollama)
  }

  private mutating func takeConverseEvent(_ value: HARValue, named name: String) {
    switch name {
    case "contentBlockStart": call(value["start"]?["toolUse"]?["name"])
    case "contentBlockDelta":
      let delta = value["delta"] ?? .null
      say(delta["text"])
      reason(delta["reasoningContent"]?["text"])
      pass(delta["toolUse"]?["input"])
    case "messageStop": stop = value["stopReason"]?.string ?? stop
    case "metadata": usage.take(value["usage"], .bedrock)
    case "messageStart", "contentBlockStop": break
    default: if name.hasSuffix("Exception") { error = "\(name): \(value["message"]?.string ?? "")" }
    }
  }

  private mutating func takeBlocks(_ blocks: HARValue?) {
    for block in blocks?.array ?? [] {
      say(block["text"])
      reason(block["reasoningContent"]?["reasoningText"]?["text"])
      call(block["toolUse"]?["name"])
    }
  }
}

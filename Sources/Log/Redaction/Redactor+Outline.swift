internal import TapelineBase
internal import TapelineDigest
internal import TapelineHAR

extension Redactor {
  /// The outline of a body of a call of a language model, which is JSON, or events or lines of JSON: the model, what the
  /// server counted, and where something was said, but not what. `nil` for any other body.
  ///
  /// In a request a token stands for each text, by which prompts can be compared. An answer comes word by word, and its tokens
  /// could be guessed: all its texts are the same.
  package mutating func outline(of body: Span<UInt8>, isRequest: Bool) -> [UInt8]? {
    if let value = try? HARValue(json: body) {
      return outlined(value, "", isRequest).json + (body[body.count - 1] == Byte.lineFeed ? [Byte.lineFeed] : [])
    }
    var (lines, hasValue) = ([[UInt8]](), false)
    for line in [UInt8](copying: body).split(separator: Byte.lineFeed, omittingEmptySubsequences: false) {
      let field = Array(line.starts(with: "data:".utf8) ? line.prefix(5) : [])
      if let value = try? HARValue(json: Array(line.dropFirst(field.count)).span) {
        lines.append(field + outlined(value, "", isRequest).json)
        hasValue = true
      } else {
        // Anything else becomes a comment.
        let isEnd = line.allSatisfy { $0 == Byte.carriageReturn } || line.elementsEqual("data: [DONE]".utf8)
        let isKept = isEnd || line.starts(with: "event:".utf8)
        lines.append(isKept ? Array(line) : [Byte.colon])
      }
    }
    return hasValue ? Array(lines.joined(separator: [Byte.lineFeed])) : nil
  }

  private mutating func outlined(_ value: HARValue, _ name: String, _ isRequest: Bool) -> HARValue {
    let isContainer = Self.containers.contains(name) || name.hasSuffix("details")
    switch value {
    case .bool, .null: return value
    case .number where ["tokens", "count", "index"].contains(where: { name.lowercased().hasSuffix($0) }): return value
    case .string(let text) where text.isEmpty || Self.facts.contains(name): return value
    case .array(let elements) where isContainer || name == "input":
      return .array(elements.map { outlined($0, name == "input" ? "" : name, isRequest) })
    case .object(let object) where isContainer:
      return .object(
        HARObject(members: object.members.map { .init(name: $0.name, value: outlined($0.value, $0.name, isRequest)) }))
    case .number, .string, .array, .object:
      guard isRequest else { return "…" }
      var token: [UInt8] = []
      appendToken(hash: hash.hash(value.json.span), to: &token)
      return .string(String(decoding: token, as: UTF8.self))
    }
  }

  /// The members that have other members in them.
  private static let containers: Set<String> = [
    "", "messages", "message", "contents", "content", "parts", "system", "choices", "delta", "response", "item", "output",
    "candidates", "usage", "usageMetadata", "promptFeedback", "error", "content_block", "tool_calls", "function", "functionCall",
    "start", "toolUse", "reasoningContent", "reasoningText", "cache_control", "cachePoint",
  ]

  /// The members whose texts are words of an interface.
  private static let facts: Set<String> = [
    "model", "modelVersion", "role", "type", "object", "status", "finish_reason", "finishReason", "stop_reason", "stopReason",
    "done_reason", "blockReason", "reason", "code", "ttl",
  ]
}

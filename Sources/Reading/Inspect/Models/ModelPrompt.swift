internal import TapelineHAR

/// The prompt of a call in the order in which servers keep prefixes: a hash of each value with its place.
///
/// Where the values of two prompts first differ, a server cannot use for the one what it kept of the other.
struct ModelPrompt: Sendable {
  private var hashes: [Int] = []
  /// The places of the values: JSON paths in the body.
  private var paths: [String] = []
  /// The beginning of the conversation: its first message that is no instruction.
  private(set) var opening: Int?
  /// How long a server keeps it: 5 minutes, if the request asks for nothing else. In milliseconds.
  private var lifetime = 300_000.0
  /// Whether the conversation before this request is kept by the server, which goes on with it.
  private let continues: Bool

  private static let depthLimit = 64

  init(_ body: HARValue, _ api: ModelAPI, model: String) {
    continues = api == .responses && body["previous_response_id"]?.string != nil
    append(.string(model), at: "model", depth: 0, hasBlocks: false)
    for name in api.promptMembers {
      guard let value = body[name] else { continue }
      append(value, at: name, depth: 0, hasBlocks: api == .messages)
    }
    let messages = api.promptMembers.last.flatMap { body[$0] } ?? body["messages"]
    opening = Self.opening(of: messages?.array ?? [messages].compactMap(\.self))
  }

  private init() {
    continues = false
  }

  private static func opening(of messages: [HARValue]) -> Int? {
    let instructions: Set<String> = ["system", "developer"]
    guard let first = messages.first(where: { !instructions.contains($0["role"]?.string ?? "") }) else { return nil }
    var alone = ModelPrompt()
    alone.append(first, at: "", depth: 0, hasBlocks: true)
    return alone.hashes.hashValue
  }

  /// - Parameter hasBlocks: whether a text is short for a list of one block of text.
  private mutating func append(_ value: HARValue, at path: String, depth: Int, hasBlocks: Bool) {
    switch value {
    case .object(let object) where depth < Self.depthLimit:
      for member in object.members {
        // A mark of what to keep is no part of the prompt, and moves from call to call.
        if member.name == "cache_control" || member.name == "cachePoint" {
          if member.value["ttl"]?.string == "1h" { lifetime = 3_600_000 }
        } else {
          append(member.value, at: "\(path).\(member.name)", depth: depth + 1, hasBlocks: hasBlocks)
        }
      }
    case .array(let elements) where depth < Self.depthLimit:
      for (index, element) in elements.enumerated() {
        append(element, at: "\(path)[\(index)]", depth: depth + 1, hasBlocks: hasBlocks)
      }
    case .string where hasBlocks && (path == "system" || path.hasSuffix(".content")):
      append([["type": "text", "text": value]], at: path, depth: depth, hasBlocks: hasBlocks)
    case .null, .bool, .number, .string, .array, .object:
      var hasher = Hasher()
      hasher.combine(path)
      hasher.combine(value)
      hashes.append(hasher.finalize())
      paths.append(path)
    }
  }

  /// How many values it has.
  var count: Int { hashes.count }

  func isSame(as other: ModelPrompt) -> Bool { hashes == other.hashes }

  private func commonCount(with other: ModelPrompt) -> Int { zip(hashes, other.hashes).prefix { $0 == $1 }.count }

  /// The call that it may go on with: the last of its conversation, else the last of those with most in common.
  func predecessor(among others: [EarlierCall]) -> EarlierCall? {
    if let opening, let last = others.last(where: { $0.prompt.opening == opening }) { return last }
    var best: (call: EarlierCall, common: Int)?
    for other in others {
      let common = commonCount(with: other.prompt)
      // The first value is the model.
      if common > 1, common >= best?.common ?? 0 { best = (other, common) }
    }
    return best?.call
  }

  /// The fate of the prefix that a server kept of an earlier prompt, in the members of a row: `prefix` is `first`, `same`,
  /// `left` or `continued`; `left` is the place where it left the one before; `expired`: too much time may have passed.
  ///
  /// - Parameter pause: milliseconds since the call before.
  func comparison(with earlier: ModelPrompt?, after pause: Double?) -> [(String, HARValue)] {
    if continues { return [("prefix", "continued")] }
    guard let earlier else { return [("prefix", "first")] }
    let common = commonCount(with: earlier)
    let time: [(String, HARValue)] = pause.map { [("pause", .number(HARNumber($0))), ("expired", .bool($0 > lifetime))] } ?? []
    guard common < earlier.count else { return [("prefix", "same")] + time }
    return [("prefix", "left"), ("left", .string(common < paths.count ? paths[common] : "after \(paths.last ?? "")"))] + time
  }

  /// As an earlier prompt that others are compared with, which needs no places.
  var asEarlier: ModelPrompt {
    var earlier = self
    earlier.paths = []
    return earlier
  }
}

/// An earlier call, with which later ones are compared.
struct EarlierCall: Sendable {
  /// Only calls of one service are compared.
  let service: String
  let prompt: ModelPrompt
  /// Milliseconds since 1970.
  let end: Double?
  let retries: Int
  let hasFailed: Bool
  let conversation: Int
  /// How many values the first prompt of its conversation has: one that has no more begins another.
  let least: Int
}

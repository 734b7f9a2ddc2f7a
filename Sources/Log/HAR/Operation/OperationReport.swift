internal import TapelineBase

/// The results of operations in a body, one or several. Only the members that say how the operations ended are read.
struct OperationReport {
  private(set) var count = 0
  private(set) var message = ""
  private(set) var code: Int?
  /// `nil` if no operation failed, or if something else than results is there.
  private(set) var language: OperationError.Language?

  init(_ body: Span<UInt8>) throws(HARReadError) {
    let results = try body.withParser(range: 0..<body.count) { (parser) throws(HARReadError) in
      let results = try Self.objects(from: &parser) { (parser) throws(HARReadError) in try OperationResult(from: &parser) }
      try parser.expectEnd()
      return results
    }
    for result in results {
      guard let error = result.error else { continue }
      if language == nil { (language, message, code) = (error.language, error.message, error.code) }
      count += error.count
    }
  }

  /// - Parameter stream: an event stream (HTML 9.2.6), whose events are results if their data is JSON.
  init(events stream: Span<UInt8>) {
    var data: [UInt8] = []
    func complete() {
      defer { data.removeAll(keepingCapacity: true) }
      guard data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "[") else { return }
      guard let report = try? OperationReport(data.span) else { return }
      if language == nil { (language, message, code) = (report.language, report.message, report.code) }
      count += report.count
    }
    // Behind a byte order mark.
    var start = stream.count > 2 && stream[0] == 0xEF && stream[1] == 0xBB && stream[2] == 0xBF ? 3 : 0
    while start < stream.count {
      let end =
        stream.indices[start...].first { stream[$0] == UInt8(ascii: "\n") || stream[$0] == UInt8(ascii: "\r") } ?? stream.count
      if end == start {
        // The second half of CR LF is no empty line.
        if start == 0 || stream[start] != UInt8(ascii: "\n") || stream[start - 1] != UInt8(ascii: "\r") { complete() }
      } else if stream.starts(with: "data:", in: start..<end) {
        let value = start + 5 < end && stream[start + 5] == UInt8(ascii: " ") ? start + 6 : start + 5
        if !data.isEmpty { data.append(UInt8(ascii: "\n")) }
        data.append(bytes: stream.extracting(value..<end))
      }
      start = end + 1
    }
    // A stream that was cut may have its last event whole: what is no JSON is passed over.
    complete()
  }

  /// Takes an object, or an array of which the objects are taken.
  static func objects<Element>(
    from parser: inout JSONParser, _ read: (inout JSONParser) throws(HARReadError) -> Element
  ) throws(HARReadError) -> [Element] {
    guard try parser.peek() == UInt8(ascii: "[") else { return [try read(&parser)] }
    var elements: [Element] = []
    try parser.readArray { (parser) throws(HARReadError) in
      guard try parser.peek() == UInt8(ascii: "{") else { return try parser.skipValue() }
      elements.append(try read(&parser))
    }
    return elements
  }
}

/// The result of one operation.
private struct OperationResult {
  struct Failure {
    let language: OperationError.Language
    let message: String
    let code: Int?
    let count: Int
  }

  private var isRPC = false
  /// Whether it has members that a result of GraphQL must not have (specification, section 7.1; incremental delivery).
  private var hasOthers = false
  private var rpcError: (code: Int, message: String)?
  /// The messages of a list in which every element has one.
  private var messages: [String] = []

  init(from parser: inout JSONParser) throws(HARReadError) {
    try parser.readObject { (parser, name) throws(HARReadError) in
      switch name {
      case "jsonrpc": isRPC = try parser.readValue().string == "2.0"
      case "error": rpcError = try Self.rpcError(parser.readValue())
      case "errors": messages = try Self.messages(parser.readValue())
      case "data", "extensions", "hasNext", "incremental", "pending", "completed", "label", "path", "items":
        try parser.skipValue()
      default:
        hasOthers = true
        try parser.skipValue()
      }
    }
  }

  var error: Failure? {
    if isRPC { return rpcError.map { Failure(language: .jsonRPC, message: $0.message, code: $0.code, count: 1) } }
    guard !hasOthers, let first = messages.first else { return nil }
    return Failure(language: .graphQL, message: first, code: nil, count: messages.count)
  }

  private static func rpcError(_ value: HARValue) -> (code: Int, message: String)? {
    guard let code = value["code"]?.integer, let message = value["message"]?.string else { return nil }
    return (code, message)
  }

  private static func messages(_ value: HARValue) -> [String] {
    let elements = value.array ?? []
    let messages = elements.compactMap { $0["message"]?.string }
    return messages.count == elements.count ? messages : []
  }
}

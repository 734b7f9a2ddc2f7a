internal import TapelineBase
internal import TapelineHAR
internal import TapelineInspect

/// Streamed bodies, whose format the first byte chooses (f, a to e). Their events lie one behind the other; a beginning of a body
/// has the events that end in it; an event has the time of the piece that completed it.
enum StreamOracle {
  private static let types = [
    "application/json-seq", "application/vnd.amazon.eventstream", "multipart/mixed; boundary=b", "application/connect+proto",
    "application/x-ndjson", "text/event-stream",
  ]

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let type = types[Int(input.first ?? 0) % types.count]
    let body = Array(input.dropFirst())
    let cut = SeededGenerator.cut(of: body)
    let whole = events(body, type, pieces: [cut, body.count - cut])
    var before = 0
    for event in whole {
      let (size, data) = (event.end - before, event.data?.count ?? 0)
      let isBehind = size > 0 && event.size == size && data <= size && event.end <= body.count
      try OracleViolation.require(isBehind, "an event lies behind the one before: \(event)")
      try OracleViolation.requireEqual(event.time, event.end <= cut ? 1 : 2, "cut at \(cut), it has the time of its piece")
      before = event.end
    }
    let alone = events(body, type, pieces: body.map { _ in 1 })
    try OracleViolation.requireEqual(alone.map(\.time), whole.map { Double($0.end) }, "it has the time of its last byte")
    let needed = whole.prefix { $0.end < cut }
    let found = events(Array(body[..<cut]), type, pieces: [cut])
    // A last record may lack its end.
    try OracleViolation.require(found.starts(with: needed) && found.count <= needed.count + 1, "cut at \(cut), it begins alike")
    if type.contains("connect") { try checkCall(body, whole) }
  }

  /// - Parameter pieces: their sizes, each of which came a millisecond after the one before.
  private static func events(_ body: [UInt8], _ type: String, pieces: [Int], call: HARValue? = nil) -> [StreamEvent] {
    var entry = SampleEntry.make(url: "https://origin.example/stream")
    entry.response.content = HARContent(size: body.count, mimeType: type, text: Base64.encode(body), encoding: "base64")
    entry.response.bodySize = body.count
    var writer = JSONWriter()
    for number in pieces.flatMap({ [1_000, $0] }) { writer.append(arrival: number) }
    entry.custom[.chunks] = .string(String(decoding: writer.bytes, as: UTF8.self))
    entry.custom[.grpc] = call
    return RecordedStream(entry)?.events ?? []
  }

  /// gRPC frames messages as Connect does, and gRPC-Web writes them in base64.
  private static func checkCall(_ body: [UInt8], _ events: [StreamEvent]) throws(OracleViolation) {
    let messages = events.map { event -> HARValue in
      ["type": "receive", "size": .number(HARNumber(event.data?.count ?? 0)), "trailers": .bool(event.name == "trailers")]
    }
    for (type, body) in [("application/grpc", body), ("application/grpc-web-text", Array(Base64.encode(body).utf8))] {
      let call = Self.events(body, type, pieces: [], call: ["messages": .array(messages)])
      try OracleViolation.requireEqual(call.map(\.data), events.map(\.data), "a call has the messages of its body")
    }
  }
}

/// Compact texts of arrivals: they are written again as they were read, and times rise.
enum ArrivalOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let text = String(validOrLatin1: input)
    guard let arrivals = ArrivalText(text) else { return }
    var writer = JSONWriter()
    for number in arrivals.numbers { writer.append(arrival: number) }
    writer.append(byte: UInt8(ascii: "."))
    for number in arrivals.contentSizes { writer.append(arrival: number) }
    let again = String(decoding: writer.bytes, as: UTF8.self) + (arrivals.leftOut > 0 ? "+\(arrivals.leftOut)" : "")
    try OracleViolation.require(again.utf8.count <= input.count + 1, "no text is shorter than ours")
    try OracleViolation.requireEqual(ArrivalText(again), arrivals, "what is written is read as it was")
    var entry = SampleEntry.make(url: "ws://origin.example/")
    entry.custom = [HARMember.webSocketMessages.name: [], HARMember.webSocketRest.name: .string(text)]
    let messages = RecordedStream(entry)
    try OracleViolation.requireEqual(messages?.events.count, arrivals.numbers.count / 3, "each message has three numbers")
    entry.custom = [HARMember.chunks.name: .string(text)]
    entry.response.content = HARContent(size: 24, mimeType: "text/event-stream", text: "data: a\n\ndata: b\n\ndata:\n\n")
    for stream in [messages, RecordedStream(entry)] {
      let times = stream?.events.compactMap(\.time) ?? []
      try OracleViolation.require(zip(times, times.dropFirst()).allSatisfy { 0 <= $0 && $0 <= $1 }, "times rise: \(times)")
    }
  }
}

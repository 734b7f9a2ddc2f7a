/// A parser that is fuzzed, with the rules that must hold for any bytes.
///
/// `scripts/fuzz` runs the targets under libFuzzer; `TapelineFuzzingTests` replays their seeds and mutated seeds in every
/// test run.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Requests as the proxy reads and forwards them.
  case requests
  /// Responses as the proxy reads and forwards them; the first byte names the method they answer.
  case responses
  /// The chunked coding, in either direction.
  case chunked
  /// The first bytes of a TLS client and of its server.
  case hello
  /// Captures, by all of their readers.
  case captures
  /// Values of `Cookie` and `Set-Cookie`.
  case cookies
  /// References, URLs and the addresses of proxies.
  case urls
  /// Values of `WWW-Authenticate`, and the answers to them.
  case challenges
  /// Queries, rules and limits as people write them.
  case queries
  /// Frames of WebSocket connections.
  case frames
  /// Frames of HTTP/2, for a server and for a client.
  case frames2
  /// Bodies that are searched for secrets; the first byte chooses their type.
  case redaction
  /// SOCKS clients.
  case socks
  /// Messages of name servers.
  case names
  /// Traces of curl.
  case traces
  /// Packets as tshark describes them.
  case packets
  /// Streamed bodies, whose format the first byte chooses; compact texts of arrivals.
  case streams, arrivals
  /// Messages of Protocol Buffers, and descriptors; documents of GraphQL, and streams of results.
  case protobuf, documents

  /// Throws when a rule does not hold for `input`; worse errors end the process.
  package func check(_ input: [UInt8]) throws(OracleViolation) {
    switch self {
    case .requests: try RequestOracle.check(input)
    case .responses: try ResponseOracle.check(input)
    case .chunked: try ChunkedOracle.check(input)
    case .hello: try HelloOracle.check(input)
    case .captures: try CaptureOracle.check(input)
    case .cookies: try CookieOracle.check(input)
    case .urls: try URLOracle.check(input)
    case .challenges: try ChallengeOracle.check(input)
    case .queries: try QueryOracle.check(input)
    case .frames: try FrameOracle.check(input)
    case .frames2: try HTTP2Oracle.check(input)
    case .redaction: try RedactionOracle.check(input)
    case .socks: try SOCKSOracle.check(input)
    case .names: try NameOracle.check(input)
    case .traces: try TraceOracle.check(input)
    case .packets: try PacketOracle.check(input)
    case .streams: try StreamOracle.check(input)
    case .arrivals: try ArrivalOracle.check(input)
    case .protobuf: try ProtobufOracle.check(input)
    case .documents: try DocumentOracle.check(input)
    }
  }
}

/// A rule that must hold for every input does not hold for this one.
package struct OracleViolation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }

  static func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(OracleViolation) {
    if !holds { throw OracleViolation(rule()) }
  }

  /// Requires that two readings of the same bytes are equal.
  static func requireEqual<Value: Equatable>(
    _ left: Value, _ right: Value, _ rule: @autoclosure () -> String
  ) throws(OracleViolation) {
    if left != right { throw OracleViolation("\(rule()):\n  \(left)\n  \(right)") }
  }
}

/// A parser that is fuzzed, with what must hold of it whatever bytes it is given.
///
/// `scripts/fuzz` runs the targets under libFuzzer; `TapelineFuzzingTests` replays their seeds and mutations of them in every test run.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Requests as the proxy reads and forwards them.
  case requests
  /// Responses as the proxy reads and forwards them; the first byte names the method they answer.
  case responses
  /// The chunked coding, in either direction.
  case chunked
  /// The first bytes of a TLS client, and of what it talks to.
  case hello
  /// Captures, by every reader of them.
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
  /// Bodies in which secrets are looked for; the first byte chooses their type.
  case redaction

  /// Throws when something does not hold for `input`; what is worse ends the process.
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
    case .redaction: try RedactionOracle.check(input)
    }
  }
}

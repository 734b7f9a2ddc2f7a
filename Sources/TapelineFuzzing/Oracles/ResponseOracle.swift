internal import TapelineHTTP

/// Responses have one meaning: however they are split, and for the client that gets them from us.
enum ResponseOracle {
  private static let date = "Sat, 21 Nov 2026 12:00:00 GMT"

  /// The first byte chooses the method of the answered request.
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    guard let first = input.first else { return }
    let method: HTTPMethod =
      switch first {
      case UInt8(ascii: "H"): .head
      case UInt8(ascii: "C"): .connect
      default: .get
      }
    let transcript = try ConnectionTranscript.agreed(on: Array(input.dropFirst()), role: .client, method: method)
    for head in transcript.responses { try checkForwarding(of: head, to: method) }
  }

  private static func checkForwarding(of head: ResponseHead, to method: HTTPMethod) throws(OracleViolation) {
    let upstream: BodyFraming
    do throws(HTTPParseError) {
      upstream = try BodyFraming.ofResponse(head, to: method)
    } catch {
      throw OracleViolation("a head that was accepted has a framing")
    }
    // The proxy answers the opening of a tunnel with its own head.
    if method == .connect, HTTPStatus.isSuccessful(head.status) { return }
    let framing = ResponseForwarding.framing(of: upstream, to: .http11)
    var output: [UInt8] = []
    var forwarding = ResponseForwarding(to: method, of: .http11, framing: framing, persists: true)
    forwarding.forwardsUpgrade = head.status == 101
    forwarding.date = date
    forwarding.append(head, into: &output)
    let transcript = try ConnectionTranscript(of: output, role: .client, method: method)
    guard let sent = transcript.responses.first, transcript.responses.count == 1, sent.size == output.count else {
      throw OracleViolation("what is forwarded is one response: \(String(validOrLatin1: output).debugDescription)")
    }
    if case .response(_, _, _, _, _, _, let sentFraming) = transcript.events.first {
      try OracleViolation.requireEqual(sentFraming, framing, "the framing is kept")
    }
    try OracleViolation.requireEqual(sent.status, head.status, "the status is kept")
    try OracleViolation.requireEqual(sent.reason, head.reason, "the phrase is kept")
    try OracleViolation.requireEqual(sent.version, .http11, "the version is ours")
    try OracleViolation.requireEqual(sent.anomalies, [], "what was mended is sent mended")
    try checkFields(of: sent, from: head)
  }

  private static func checkFields(of sent: ResponseHead, from head: ResponseHead) throws(OracleViolation) {
    let isFraming = { (name: FieldName) in name == .contentLength || name == .transferEncoding }
    let isUpgrade = head.status == 101
    let hopByHop = HopByHopFields(of: head.fields)
    let expected = EndToEndFields(of: head.fields) {
      let name = head.fields.knownName(at: $0)
      if name == .upgrade, isUpgrade { return false }
      return isFraming(name) || hopByHop.removes(head.fields, at: $0)
    }
    let connection = sent.fields.values(of: .connection)
    let options = connection.flatMap { $0.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } } }
    let said = Set(options.filter { !$0.isEmpty && $0 != "keep-alive" })
    try OracleViolation.requireEqual(said, isUpgrade ? ["upgrade"] : [], "Connection says what is true of ours")
    var actual = EndToEndFields(of: sent.fields) {
      let name = sent.fields.knownName(at: $0)
      return isFraming(name) || name == .connection
    }
    if actual.lines.count == expected.lines.count + 1 {
      try OracleViolation.require(actual.removeDate(date), "a date is added where there is none")
    }
    try OracleViolation.requireEqual(actual, expected, "all other fields are sent on, and nothing else is")
  }
}

internal import TapelineHTTP

/// Requests have one meaning: however they are split, and for every server that gets them from us.
enum RequestOracle {
  private static let authority = "origin.example:8080"

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let transcript = try ConnectionTranscript.agreed(on: input, role: .server)
    for head in transcript.requests where head.method != .connect { try checkForwarding(of: head) }
    for fields in transcript.fields { try HeadRedactionOracle.check(fields) }
  }

  private static func checkForwarding(of head: RequestHead) throws(OracleViolation) {
    let framing: BodyFraming
    do throws(HTTPParseError) {
      framing = try BodyFraming.ofRequest(head)
    } catch {
      throw OracleViolation("a head that was accepted has a framing")
    }
    let toOrigin = try sent(head, framing, to: .origin)
    var target: [UInt8] = []
    head.appendOriginForm(into: &target)
    try OracleViolation.requireEqual(
      Array(toOrigin.targetText.utf8), Array(String(validOrLatin1: target).utf8), "the origin gets the target in origin-form")
    try checkFields(of: toOrigin, from: head)

    let toProxy = try sent(head, framing, to: .proxy(authorization: nil))
    guard case .absolute(let absolute) = toProxy.target else { throw OracleViolation("a proxy gets a target in absolute-form") }
    if case .absolute(let asked) = head.target {
      try OracleViolation.requireEqual(absolute.authority, asked.authority, "a proxy gets the authority that was asked for")
      try OracleViolation.requireEqual(absolute.scheme, asked.scheme, "a proxy gets the scheme that was asked for")
    } else {
      try OracleViolation.requireEqual(absolute.authority, authority, "a proxy gets the authority that the connection has")
    }
    var targetOfProxy: [UInt8] = []
    toProxy.appendOriginForm(into: &targetOfProxy)
    try OracleViolation.requireEqual(targetOfProxy, target, "what a proxy sends to the origin is what we would send")
    try checkFields(of: toProxy, from: head)
  }

  /// The head as the next hop reads it.
  private static func sent(
    _ head: RequestHead, _ framing: BodyFraming, to hop: NextHop
  ) throws(OracleViolation) -> RequestHead {
    var output: [UInt8] = []
    var forwarding = RequestForwarding(framing: framing)
    forwarding.hop = hop
    forwarding.authority = authority
    forwarding.append(head, into: &output)
    let transcript = try ConnectionTranscript(of: output, role: .server)
    guard let sent = transcript.requests.first, transcript.requests.count == 1, sent.size == output.count,
      case .request(_, _, let version, _, _, let sentFraming) = transcript.events.first
    else {
      throw OracleViolation("what is forwarded is one request: \(String(validOrLatin1: output).debugDescription)")
    }
    try OracleViolation.requireEqual(sent.method, head.method, "the method is kept")
    try OracleViolation.requireEqual(sentFraming, framing, "the framing is kept")
    try OracleViolation.requireEqual(version, .http11, "the version is ours")
    return sent
  }

  /// The options of `Connection`, which have no case; empty members count for nothing (RFC 9110 5.6.1.2). A line that says what
  /// we say goes on as it came.
  private static func options(of head: RequestHead) -> [String] {
    head.fields.values(of: .connection).flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }.map { $0.lowercased() }
  }

  private static func checkFields(of sent: RequestHead, from head: RequestHead) throws(OracleViolation) {
    if case .absolute(let target) = head.target {
      try OracleViolation.requireEqual(sent.fields.values(of: .host), [target.authority], "Host is the target's authority")
    } else if let host = head.fields.first(of: .host) {
      try OracleViolation.requireEqual(sent.fields.values(of: .host), [host], "Host is kept")
    } else {
      try OracleViolation.requireEqual(sent.fields.values(of: .host), [authority], "Host is added")
    }
    let acceptsTrailers = head.fields.listContains(token: "trailers", in: .te)
    try OracleViolation.requireEqual(options(of: sent), acceptsTrailers ? ["te"] : [], "Connection is ours")
    try OracleViolation.requireEqual(sent.fields.values(of: .te), acceptsTrailers ? ["trailers"] : [], "TE is ours")

    let countsHops = head.maxForwards != nil
    let isRewritten = { (name: FieldName) in
      name == .host || name == .contentLength || name == .transferEncoding || (name == .maxForwards && countsHops)
    }
    let hopByHop = HopByHopFields(of: head.fields)
    let expected = EndToEndFields(of: head.fields) {
      isRewritten(head.fields.knownName(at: $0)) || hopByHop.removes(head.fields, at: $0)
    }
    let actual = EndToEndFields(of: sent.fields) {
      let name = sent.fields.knownName(at: $0)
      return isRewritten(name) || name == .connection || name == .te
    }
    try OracleViolation.requireEqual(actual, expected, "all other fields are sent on, and nothing else is")
  }
}

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
    for fields in transcript.fields { try HeadRedactionOracle.check(fields) }
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
    let passedOn = head.anomalies.intersection([.repeatedContentLength, .controlInValue, .oddFieldName])
    try OracleViolation.requireEqual(sent.anomalies.subtracting(passedOn), [], "what was mended is sent mended")
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
      try OracleViolation.require(actual.removeDate(date), "a date is added where no date was")
    }
    try OracleViolation.requireEqual(actual, expected, "all other fields are sent on, and nothing else is")
  }
}

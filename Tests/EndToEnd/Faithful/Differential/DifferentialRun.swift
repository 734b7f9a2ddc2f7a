import TapelineTestSupport
import Testing

/// One table, played directly and through the program, and what differs.
final class DifferentialRun {
  private let stage: Stage
  private let approach: Approach
  private let authority: TestAuthority
  private let authorityDirectory: TemporaryDirectory
  /// Stands before the server: what it notes is what the origin got.
  private let tap: Relay
  private var differences: [String] = []

  init(_ stage: Stage, _ approach: Approach) throws {
    self.stage = stage
    self.approach = approach
    authority = try TestAuthority()
    authorityDirectory = try TemporaryDirectory()
    tap = try Relay(.clear(port: stage.port), identity: approach == .plain ? nil : authority.issue())
  }

  func expectNoDifference(sourceLocation: SourceLocation = #_sourceLocation) throws {
    // The first run makes what uploads leave behind.
    _ = try playDirectly()
    let before = try tap.connections().count
    let direct = try playDirectly()
    let directly = requestsByNumber(try tap.connections().dropFirst(before))
    let after = try tap.connections().count
    var through: [Outcome] = []
    let options = ["--intercept", "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate, "--no-redact"]
    let recording = try recording(options, sourceLocation: sourceLocation) { through = try playThrough($0) }
    let relayed = requestsByNumber(try tap.connections().dropFirst(after))

    for (number, exchange) in stage.table.enumerated() {
      // The harness judges itself first.
      if let failure = direct[number].failure { note(exchange, "fails without us: \(failure)") }
      if !isSame(directly[number], sent(number, toProxy: false)) { note(exchange, "did not arrive without us as it was sent") }
      let observed = compareResponses(exchange, direct[number], through[number]) + compareRequests(number, relayed[number])
      compareEntry(number, observed, recording)
    }
    let (needed, used) = (after - before, try tap.connections().count - after)
    if needed != used { differences.append("connections: \(needed) without us, \(used) with us") }
    #expect(
      differences.isEmpty, "\(differences.count) of \(stage.table.count):\n\(differences.prefix(40).joined(separator: "\n"))",
      sourceLocation: sourceLocation)
  }

  // MARK: Playing

  private var serverName: String { approach == .plain ? "127.0.0.1:\(tap.port)" : "localhost:\(tap.port)" }

  private func playDirectly() throws -> [Outcome] {
    let way = approach == .plain ? nil : try Relay(.tls(port: tap.port, authority: authority.certificate))
    return try play(port: way?.port ?? tap.port, toProxy: false)
  }

  private func playThrough(_ proxy: TapelineProcess) throws -> [Outcome] {
    let way =
      approach == .plain
      ? nil : try Relay(.tunnel(port: tap.port, authority: authorityDirectory.path("ca.pem"), proxy: proxy.port))
    return try play(port: way?.port ?? proxy.port, toProxy: approach == .plain)
  }

  private func play(port: UInt16, toProxy: Bool) throws -> [Outcome] {
    let client = TableClient { try RawClient(port: port) }
    defer { client.leave() }
    return try stage.table.enumerated().map { number, exchange in
      try client.play(exchange.bytes(number: number, authority: serverName, toProxy: toProxy), of: exchange)
    }
  }

  // MARK: Comparing

  private func note(_ exchange: Exchange, _ what: String) {
    differences.append("\(exchange.name): \(what)")
  }

  private func requestsByNumber(_ connections: some Sequence<Relay.Connection>) -> [Int: RawMessage] {
    var found: [Int: RawMessage] = [:]
    for request in connections.flatMap({ requests(in: $0.fromClient) }) {
      if let number = request.value(of: "X-Exchange").flatMap({ Int($0) }) { found[number] = request }
    }
    return found
  }

  private func sent(_ number: Int, toProxy: Bool) -> RawMessage? {
    requests(in: stage.table[number].bytes(number: number, authority: serverName, toProxy: toProxy)).first
  }

  private func isSame(_ one: RawMessage?, _ other: RawMessage?) -> Bool {
    guard let one, let other else { return false }
    return one.head == other.head && one.body == other.body && one.trailers.elementsEqual(other.trailers, by: ==)
  }

  /// What was done to the request, seen at the origin.
  private func compareRequests(_ number: Int, _ relayed: RawMessage?) -> [Change] {
    let exchange = stage.table[number]
    guard let sent = sent(number, toProxy: approach == .plain), let relayed else {
      note(exchange, "the origin did not get it")
      return []
    }
    let words = relayed.startLine.split(separator: " ", omittingEmptySubsequences: false)
    if words.count != 3 || words[0] != exchange.method || words[1] != exchange.target {
      note(exchange, "the origin got \(relayed.startLine)")
    }
    if relayed.body != sent.body { note(exchange, "the origin got other content: \(sent.body.count) → \(relayed.body.count)") }
    return version(.request, "HTTP/\(exchange.version)", String(words.last ?? ""))
      + changes(.request, from: sent.fields, to: relayed.fields)
      + changes(.request, from: sent.trailers, to: relayed.trailers, isTrailer: true)
  }

  /// What was done to the answer, seen at the client.
  private func compareResponses(_ exchange: Exchange, _ direct: Outcome, _ through: Outcome) -> [Change] {
    guard let sent = direct.response, let got = through.response else {
      note(exchange, "without us \(direct.response?.startLine ?? "nothing"), with us \(through.failure ?? "nothing")")
      return []
    }
    if through.failure != nil || direct.end != through.end {
      note(exchange, "the end: \(direct.end ?? "-") without us, \(through.failure ?? through.end ?? "-") with us")
    }
    if sent.startLine.drop(while: { $0 != " " }) != got.startLine.drop(while: { $0 != " " }) {
      note(exchange, "\(sent.startLine) became \(got.startLine)")
    }
    let (one, other) = (Normalized(sent), Normalized(got))
    if one.body != other.body { note(exchange, "other content: \(one.body.count) → \(other.body.count) bytes") }
    var observed = version(.response, sent.version, got.version)
    observed += changes(.response, from: one.fields, to: other.fields)
    observed += changes(.response, from: sent.trailers, to: got.trailers, isTrailer: true)
    if direct.interim.map(\.startLine) != through.interim.map(\.startLine) {
      note(exchange, "1xx: \(direct.interim.map(\.startLine)) → \(through.interim.map(\.startLine))")
    }
    for (before, after) in zip(direct.interim, through.interim) {
      observed += changes(.response, from: before.fields, to: after.fields)
    }
    return observed
  }

  private func version(_ leg: Change.Leg, _ sent: String, _ got: String) -> [Change] {
    sent == got ? [] : [Change(leg: leg, change: "rewritten", name: ":version", from: sent, to: got)]
  }

  /// The entry lists what was seen, the whole of it and nothing else; and nothing was seen that the table does not allow.
  private func compareEntry(_ number: Int, _ observed: [Change], _ recording: Recording) {
    let exchange = stage.table[number]
    let surprising = observed.filter { !exchange.allowed(toProxy: approach == .plain).contains($0.place) }
    if !surprising.isEmpty { note(exchange, "changed: \(surprising)") }
    let entries = recording.entries.filter { $0.requestValues(of: "X-Exchange") == ["\(number)"] && $0.method != "CONNECT" }
    guard entries.count == 1, let entry = entries.first else { return note(exchange, "\(entries.count) entries") }
    if let error = entry.error { note(exchange, "_error \(error)") }
    guard let listed = entry.changes else {
      return note(exchange, "_changes is malformed: \(String(describing: entry.tree["_changes"]))")
    }
    let (seen, said) = (Set(observed.map(\.comparable)), Set(listed.map(\.comparable)))
    if seen != said {
      note(exchange, "not listed: \(seen.subtracting(said)); listed, not done: \(said.subtracting(seen))")
    }
  }
}

extension Change {
  /// Without what nobody can foretell or may be told: the time in `Date`, and credentials.
  fileprivate var comparable: Change {
    var copy = self
    if ["date", "proxy-authorization"].contains(name.lowercased()) {
      copy.from = nil
      copy.to = nil
    }
    // Blanks around a value are not part of it.
    copy.from = copy.from.map(trimmed)
    copy.to = copy.to.map(trimmed)
    return copy
  }
}

private func trimmed(_ text: String) -> String {
  var text = text[...]
  while text.last == " " || text.last == "\t" { text = text.dropLast() }
  return String(text.drop { $0 == " " || $0 == "\t" })
}

/// A response without what differs between two runs of one server.
private struct Normalized {
  let fields: [(name: String, value: String)]
  let body: [UInt8]

  init(_ message: RawMessage) {
    let boundary = message.value(of: "Content-Type").flatMap { type in
      type.hasPrefix("multipart/byteranges; boundary=") ? String(type.dropFirst("multipart/byteranges; boundary=".count)) : nil
    }
    fields = message.fields.map { name, value in
      if name.lowercased() == "date" { return (name, "a time") }
      if name.lowercased() == "content-type", boundary != nil { return (name, "multipart/byteranges; boundary=…") }
      return (name, value)
    }
    body = boundary.map { message.body.replacing(Array($0.utf8), with: Array("…".utf8)) } ?? message.body
  }
}

extension RawMessage {
  fileprivate var version: String { String(startLine.prefix { $0 != " " }) }
}

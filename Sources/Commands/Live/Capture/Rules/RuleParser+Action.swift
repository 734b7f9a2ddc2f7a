internal import TapelineBase
internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineOffline
internal import TapelineProxy
internal import TapelineSystem

/// The actions, each with what it needs.
extension RuleParser {
  private enum Verb: String, CaseIterable {
    case delay, status, reset, timeout, block, set, remove, map
    case mapURL = "map-url"
    case truncate, rate, stall, grpc, file, json
  }

  mutating func action() throws(QueryError) -> InjectionAction {
    let names = Verb.allCases.map(\.rawValue)
    guard let (name, offset) = word() else {
      throw QueryError("the action is missing", remedy: "write one of \(names.joined(separator: ", "))", at: end)
    }
    guard let verb = Verb(rawValue: name) else {
      let near = Spelling.nearest(to: name, among: names)
      throw QueryError(
        "unknown action \(name)",
        remedy: near.map { "did you mean \($0)?" } ?? "the actions are \(names.joined(separator: ", "))", at: offset)
    }
    switch verb {
    case .delay: return try delay()
    case .status: return try status()
    case .reset: return .reset
    case .timeout: return .timeout
    case .block: return try block()
    case .set: return try set()
    case .remove:
      let side = try side(of: "remove")
      return .edit(side, InjectedEdit(name: try fieldName(after: "remove \(side.rawValue)"), value: nil))
    case .map: return .map(try placement())
    case .mapURL: return .rewrite(try rewrite())
    case .truncate: return .truncate(after: try size("truncate 10KiB"))
    case .rate: return .rate(try rate())
    case .stall:
      let duration = try duration("stall 5s")
      return try .stall(duration, after: take("after") ? size("after 64KiB") : 0)
    case .grpc: return try call()
    case .file: return try file()
    case .json:
      let (text, offset) = rest()
      let edit = try JSONEdit(text, at: offset)
      return .content(InjectedContentEdit(text: text) { edit.applied(to: $0) })
    }
  }

  // MARK: Time

  private mutating func delay() throws(QueryError) -> InjectionAction {
    guard let (text, offset) = peek(), let sign = text.firstIndex(of: "±") else {
      return .delay(try duration("delay 200ms"), spread: .zero)
    }
    _ = word()
    let usual = try Self.duration(text[..<sign], "delay 200ms±50ms", at: offset)
    let spread = try Self.duration(
      text[text.index(after: sign)...], "delay 200ms±50ms", at: offset + text.distance(from: text.startIndex, to: sign) + 1)
    guard spread <= usual else {
      throw QueryError("the delay could be negative", remedy: "give a spread of at most the delay", at: offset)
    }
    return .delay(usual, spread: spread)
  }

  private mutating func duration(_ example: String) throws(QueryError) -> Duration {
    guard let (text, offset) = word() else { throw QueryError("a time is missing", remedy: "write it like \(example)", at: end) }
    return try Self.duration(text[...], example, at: offset)
  }

  private static func duration(_ text: Substring, _ example: String, at offset: Int) throws(QueryError) -> Duration {
    guard let quantity = QueryQuantity(text), quantity.dimension == .duration, quantity.value <= longest else {
      throw QueryError("\(text) is not a time", remedy: "write it with its unit, like \(example)", at: offset)
    }
    return .nanoseconds(Int64(quantity.value * 1e6))
  }

  /// A day, in milliseconds.
  private static let longest = 86_400_000.0

  private mutating func size(_ example: String) throws(QueryError) -> UInt64 {
    guard let (text, offset) = word() else { throw QueryError("a size is missing", remedy: "write it like \(example)", at: end) }
    guard let quantity = QueryQuantity(text), quantity.dimension != .duration, quantity.value <= 1e15 else {
      throw QueryError("\(text) is not a size", remedy: "write it like \(example)", at: offset)
    }
    return UInt64(quantity.value)
  }

  private mutating func rate() throws(QueryError) -> Double {
    guard let (text, offset) = word() else { throw QueryError("a rate is missing", remedy: "write it like rate 50kB/s", at: end) }
    guard text.hasSuffix("/s"), let quantity = QueryQuantity(text.dropLast(2)), quantity.dimension == .size, quantity.value >= 1
    else { throw QueryError("\(text) is not a rate", remedy: "write bytes per second, like rate 50kB/s", at: offset) }
    return quantity.value
  }

  // MARK: Failures

  private mutating func status() throws(QueryError) -> InjectionAction {
    let found = word()
    guard let status = found.flatMap({ Int($0.text) }), (400...599).contains(status) else {
      throw QueryError(
        "status needs the status of a failure", remedy: "write one from 400 to 599, like status 503", at: found?.offset ?? end)
    }
    var answer = InjectedAnswer(status: status)
    if take("retry-after") {
      let pause = try duration("retry-after 2s")
      answer.retryAfter = Int((pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0)))
    }
    return .answer(answer)
  }

  private mutating func block() throws(QueryError) -> InjectionAction {
    if take("close") { return .close }
    _ = take("403")
    return .answer(InjectedAnswer(status: 403))
  }

  private mutating func call() throws(QueryError) -> InjectionAction {
    let found = word()
    guard let found, let status = GRPCStatus(name: found.text), status.rawValue != 0 else {
      let names = GRPCStatus.names.dropFirst()
      let near = found.flatMap { Spelling.nearest(to: $0.text.uppercased(), among: Array(names)) }
      throw QueryError(
        "grpc needs the status of a failure",
        remedy: near.map { "did you mean \($0)?" } ?? "write one of \(names.joined(separator: ", "))", at: found?.offset ?? end)
    }
    var answer = InjectedAnswer(status: 200)
    answer.grpc = status
    return .answer(answer)
  }

  // MARK: Places

  private mutating func placement() throws(QueryError) -> InjectedPlacement {
    let example = "write it like map api.example:443=127.0.0.1:8443"
    guard let (text, offset) = word() else { throw QueryError("map needs two places", remedy: example, at: end) }
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 2 else { throw QueryError("map needs two places, with = between them", remedy: example, at: offset) }
    guard let from = Authority(sides[0]), let port = from.port, !from.host.isEmpty, from.userinfo == nil else {
      throw QueryError("\(sides[0]) is not a host and a port", remedy: example, at: offset)
    }
    guard let to = Authority(sides[1]), !to.host.isEmpty, to.userinfo == nil else {
      throw QueryError("\(sides[1]) is not a host, or a host and a port", remedy: example, at: offset + sides[0].count + 1)
    }
    return InjectedPlacement(host: from.host, port: port, target: to.host, targetPort: to.port ?? port)
  }

  private mutating func rewrite() throws(QueryError) -> InjectedRewrite {
    let example = "write it like map-url https://api.example/v1/=http://localhost:8080/"
    guard let (text, offset) = word() else { throw QueryError("map-url needs two URLs", remedy: example, at: end) }
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 2 else { throw QueryError("map-url needs two URLs, with = between them", remedy: example, at: offset) }
    for (side, place) in [(sides[0], offset), (sides[1], offset + sides[0].count + 1)] where !Self.isURL(side) {
      throw QueryError("\(side) is not a URL of http or https", remedy: example, at: place)
    }
    return InjectedRewrite(prefix: sides[0], replacement: sides[1])
  }

  private static func isURL(_ text: String) -> Bool {
    do throws(HTTPParseError) {
      let head = try RequestHead(method: .get, target: text)
      guard case .absolute(let target) = head.target else { return false }
      return target.scheme == .http || target.scheme == .https
    } catch {
      return false
    }
  }

  // MARK: Content

  private mutating func side(of verb: String) throws(QueryError) -> InjectedSide {
    let found = word()
    guard let side = found.flatMap({ InjectedSide(rawValue: $0.text) }) else {
      throw QueryError("\(verb) needs request or response", remedy: "write \(verb) request …", at: found?.offset ?? end)
    }
    return side
  }

  private mutating func set() throws(QueryError) -> InjectionAction {
    let side = try side(of: "set")
    let (line, offset) = rest()
    let example = "write it like set request Accept-Language: de"
    guard let colon = line.firstIndex(of: ":") else {
      throw QueryError("set needs a field and its value", remedy: example, at: offset)
    }
    let name = String(line[..<colon])
    try Self.check(name, at: offset)
    let valueOffset = offset + name.count + 1
    let written = String(line[line.index(after: colon)...]).trimmed
    let value = try secret(written, at: valueOffset) ?? written
    guard value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }) else {
      throw QueryError("the value has a control character", remedy: "take it out: a field is one line", at: valueOffset)
    }
    return .edit(side, InjectedEdit(name: name, value: value, isSecret: value != written))
  }

  /// The value in a variable or in a file, which is not for the log.
  private func secret(_ text: String, at offset: Int) throws(QueryError) -> String? {
    if text.hasPrefix("@env:") {
      guard let value = environment[String(text.dropFirst(5))] else {
        throw QueryError("there is no variable \(text.dropFirst(5))", remedy: "set it, or name another", at: offset)
      }
      return value
    }
    guard text.hasPrefix("@file:") else { return nil }
    do throws(CommandFailure) {
      return try SecretFile.firstLine(of: String(text.dropFirst(6)), for: "--rule")
    } catch {
      throw QueryError(error.why, remedy: error.remedy, at: offset)
    }
  }

  private mutating func fieldName(after example: String) throws(QueryError) -> String {
    guard let (name, offset) = word() else {
      throw QueryError("the name of a field is missing", remedy: "write it like \(example) Accept-Encoding", at: end)
    }
    try Self.check(name, at: offset)
    return name
  }

  private static func check(_ name: String, at offset: Int) throws(QueryError) {
    guard !name.isEmpty, name.utf8.allSatisfy(ByteSet.token.contains) else {
      throw QueryError("\(name) is not the name of a field", remedy: "write it like Accept-Language", at: offset)
    }
    if let remedy = untouched[name.lowercased()] {
      throw QueryError("\(name) is not a rule's to change", remedy: remedy, at: offset)
    }
  }

  private static let untouched: [String: String] = {
    let framing = "it frames the message, and tapeline writes it"
    let connection = "it belongs to one connection, and tapeline writes it"
    return [
      "host": "use map to lead connections elsewhere", "content-length": framing, "transfer-encoding": framing,
      "trailer": framing, "connection": connection, "keep-alive": connection, "upgrade": connection, "te": connection,
      "proxy-connection": connection, "proxy-authorization": connection, "expect": connection,
    ]
  }()

  private mutating func file() throws(QueryError) -> InjectionAction {
    guard let (path, offset) = word() else {
      throw QueryError("file needs a path", remedy: "write it like file answer.json", at: end)
    }
    var answer = InjectedAnswer(status: 200)
    do throws(SystemCallError) {
      answer.content = try WholeFile.read(path, limit: 1 << 20)
    } catch {
      throw QueryError("\(path) cannot be read: \(error.text)", remedy: "name a file of at most 1 MiB", at: offset)
    }
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    answer.mediaType = Self.mediaTypes[ending] ?? answer.mediaType
    return .answer(answer)
  }

  private static let mediaTypes = [
    "json": "application/json", "html": "text/html; charset=utf-8", "txt": "text/plain; charset=utf-8", "xml": "application/xml",
    "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
  ]
}

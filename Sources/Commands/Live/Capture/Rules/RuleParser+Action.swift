internal import TapelineBase
internal import TapelineCore
internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineOffline
internal import TapelineProxy
internal import TapelineSystem
internal import TapelineTransport

/// The actions, each with what it needs.
extension RuleParser {
  private enum Verb: String, CaseIterable {
    case delay, status, reset, timeout, block, set, remove, map
    case mapURL = "map-url"
    case truncate, cut, rate, stall, grpc, file, json
  }

  mutating func action() throws(QueryError) -> InjectionAction {
    let names = Verb.allCases.map(\.rawValue)
    guard let (name, offset) = word() else {
      throw QueryError("the action is missing", remedy: "write one of \(names.joined(separator: ", "))", at: end)
    }
    guard let verb = Verb(rawValue: name) else {
      let others = "the actions are \(names.joined(separator: ", "))"
      throw QueryError("unknown action \(name)", remedy: Spelling.remedy(for: name, among: names, else: others), at: offset)
    }
    switch verb {
    case .delay: return .delay(try take("lognormal") ? lognormal() : delay())
    case .status: return try status()
    case .reset: return .reset
    case .timeout: return .timeout
    case .block:
      if take("close") { return .close }
      _ = take("403")
      return .answer(InjectedAnswer(status: 403))
    case .set: return try set()
    case .remove:
      let side = try side("remove")
      let start = skipBlanks()
      let field = try next("the name of a field", like: "remove \(side.rawValue) Accept-Encoding") { $0 }
      try Self.check(field, at: start)
      return .edit(side, InjectedEdit(name: field, value: nil))
    case .map: return try placement()
    case .mapURL: return try rewrite()
    case .truncate: return .truncate(after: try next("a size", like: "truncate 10KiB", Self.size))
    case .cut: return try cut()
    case .rate:
      return .rate(
        try next("a rate", like: "rate 50kB/s") { text in
          text.hasSuffix("/s") ? QueryQuantity.value(of: text.dropLast(2), .size, 1 ... .infinity) : nil
        })
    case .stall:
      let duration = try next("a time", like: "stall 5s", Self.duration)
      return .stall(duration, after: try take("after") ? next("a size", like: "after 64KiB", Self.size) : 0)
    case .grpc: return try call()
    case .file: return try file()
    case .json:
      let (text, offset) = rest()
      let edit = try JSONEdit(text, at: offset)
      return .content { edit.applied(to: $0) }
    }
  }

  // MARK: Time

  private mutating func delay() throws(QueryError) -> InjectedDelay {
    let start = skipBlanks()
    let times = try next("a time", like: "delay 200ms or delay 200ms±50ms") { (text: String) -> [Duration]? in
      let parts = text.split(separator: "±", maxSplits: 1, omittingEmptySubsequences: false).map { Self.duration(String($0)) }
      return parts.contains(nil) ? nil : parts.compactMap(\.self)
    }
    guard times.count == 1 || times[1] <= times[0] else {
      throw QueryError("the delay could be negative", remedy: "give a spread of at most the delay", at: start)
    }
    return .around(times[0], spread: times.count > 1 ? times[1] : .zero)
  }

  private mutating func lognormal() throws(QueryError) -> InjectedDelay {
    let start = skipBlanks()
    let times = try ["p50", "p99"].map { (name) throws(QueryError) in
      try next("a \(name)", like: "delay lognormal p50=80ms p99=1s") { text in
        text.hasPrefix("\(name)=") ? Self.duration(String(text.dropFirst(4))) : nil
      }
    }
    guard times[0] > .zero, times[1] > times[0] else {
      throw QueryError("p99 is not above p50", remedy: "give a longer time for p99, and one above 0 for p50", at: start)
    }
    return .lognormal(p50: times[0], p99: times[1])
  }

  /// At most a day.
  private static func duration(_ text: String) -> Duration? {
    QueryQuantity.value(of: text, .duration, 0...86_400_000).map { Duration.nanoseconds(Int64($0 * 1e6)) }
  }

  private static func size(_ text: String) -> UInt64? {
    (QueryQuantity.value(of: text, .size, 0...1e15) ?? QueryQuantity.value(of: text, .plain, 0...1e15)).map { UInt64($0) }
  }

  // MARK: Failures

  private mutating func status() throws(QueryError) -> InjectionAction {
    var answer = InjectedAnswer(
      status: try next("the status of a failure", like: "status 503, from 400 to 599") { text in
        Int(text).flatMap { (400...599).contains($0) ? $0 : nil }
      })
    if take("retry-after") {
      let pause = try next("a time", like: "retry-after 2s", Self.duration)
      answer.retryAfter = Int((pause / Duration.seconds(1)).rounded(.up))
    }
    return .answer(answer)
  }

  private mutating func cut() throws(QueryError) -> InjectionAction {
    let start = skipBlanks()
    guard take("after"), let count = word().flatMap({ UInt64($0.text) }), count > 0, take("events") || take("event") else {
      throw QueryError("cut needs a number of events", remedy: "write it like cut after 10 events", at: start)
    }
    return .cut(after: count)
  }

  private mutating func call() throws(QueryError) -> InjectionAction {
    let found = word()
    guard let found, let status = GRPCStatus(name: found.text), status.rawValue != 0 else {
      let names = Array(GRPCStatus.names.dropFirst())
      let remedy = Spelling.remedy(
        for: found?.text.uppercased() ?? "", among: names, else: "write one of \(names.joined(separator: ", "))")
      throw QueryError("grpc needs the status of a failure", remedy: remedy, at: found?.offset ?? end)
    }
    var answer = InjectedAnswer(status: 200)
    answer.grpc = status
    return .answer(answer)
  }

  // MARK: Places

  private mutating func placement() throws(QueryError) -> InjectionAction {
    let example = "map api.example:443=127.0.0.1:8443"
    let (from, to) = try sides("two places", like: example)
    let place = try QueryError.reading(from.text, as: "a host and a port", like: example, at: from.offset) { text in
      Self.place(text).flatMap { place in place.port.map { Route(host: place.host, port: $0) } }
    }
    let target = try QueryError.reading(to.text, as: "a host, or a host and a port", like: example, at: to.offset, Self.place)
    return .map(place, to: Route(host: target.host, port: target.port ?? place.port))
  }

  private static func place(_ text: String) -> Authority? {
    Authority(text).flatMap { $0.host.isEmpty || $0.userinfo != nil ? nil : $0 }
  }

  private mutating func rewrite() throws(QueryError) -> InjectionAction {
    let example = "map-url https://api.example/v1/=http://localhost:8080/"
    let (from, to) = try sides("two URLs", like: example)
    let urls = try [from, to].map { (text, offset) throws(QueryError) in
      try QueryError.reading(text, as: "a URL of http or https", like: example, at: offset, Self.url)
    }
    return .rewrite(urls[0], to: urls[1])
  }

  private static func url(_ text: String) -> String? {
    guard case .absolute(let target) = (try? RequestHead(method: .get, target: text))?.target else { return nil }
    return target.scheme == .http || target.scheme == .https ? text : nil
  }

  /// The parts of a word before and after its first equals sign, each with its offset.
  private mutating func sides(
    _ what: String, like example: String
  ) throws(QueryError) -> ((text: String, offset: Int), (text: String, offset: Int)) {
    let start = skipBlanks()
    let sides = try next("\(what), with = between them", like: example) { text in
      text.firstIndex(of: "=").map { (String(text[..<$0]), String(text[text.index(after: $0)...])) }
    }
    return ((sides.0, start), (sides.1, start + sides.0.count + 1))
  }

  // MARK: Content

  private mutating func side(_ verb: String) throws(QueryError) -> InjectedSide {
    try next("request or response", like: "\(verb) request …", InjectedSide.init(rawValue:))
  }

  private mutating func set() throws(QueryError) -> InjectionAction {
    let side = try side("set")
    let (line, offset) = rest()
    let example = "write it like set request Accept-Language: de"
    guard let colon = line.firstIndex(of: ":") else {
      throw QueryError("set needs a field and its value", remedy: example, at: offset)
    }
    let name = String(line[..<colon])
    try Self.check(name, at: offset)
    let valueOffset = offset + name.count + 1
    let written = String(line[line.index(after: colon)...].trimmed)
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
    let start = skipBlanks()
    let path = try next("a path", like: "file answer.json") { $0 }
    var answer = InjectedAnswer(status: 200)
    do throws(SystemCallError) {
      answer.content = try WholeFile.read(path, limit: 1 << 20)
    } catch {
      throw QueryError("\(path) cannot be read: \(error.text)", remedy: "name a file of at most 1 MiB", at: start)
    }
    let type = MediaTypes.mediaType(ofExtension: path.split(separator: ".").last.map(String.init) ?? "")
    answer.mediaType = type + (type.hasPrefix("text/") ? "; charset=utf-8" : "")
    return .answer(answer)
  }
}

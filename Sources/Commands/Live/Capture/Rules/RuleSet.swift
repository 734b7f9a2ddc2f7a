internal import TapelineBase
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineInspect
package import TapelineOffline
package import TapelineProxy
internal import TapelineSystem
internal import TapelineTime

/// The rules of a recording, from the options and files that have them.
package enum RuleSet {
  private struct Line {
    let text: String
    /// The option, or the file and the line in it.
    let place: String
  }

  /// - Returns: `nil` where there are no rules.
  package static func rules(
    _ lines: [String], files: [String], seed: UInt64, environment: [String: String]
  ) throws(CommandFailure) -> InjectionRules? {
    var written = lines.map { Line(text: $0, place: "--rule") }
    for file in files { written += try read(file) }
    guard !written.isEmpty else { return nil }
    var parsed: [RuleParser.Parsed] = []
    for line in written {
      do throws(QueryError) {
        let rule = try RuleParser.parse(line.text, environment: environment)
        if parsed.contains(where: { $0.endsAll(of: rule) }) {
          throw QueryError(
            "an earlier rule with this condition ends every such exchange", remedy: "take one of the two out", at: 0)
        }
        parsed.append(rule)
      } catch {
        throw CommandFailure(
          status: .usage, what: line.place, why: error.description, remedy: error.remedy,
          choices: error.excerpt(of: line.text))
      }
    }
    let queries = parsed.map(\.query)
    let asks = queries.contains { $0 != nil }
    return InjectionRules(parsed.map(\.rule), seed: seed) { subject in
      let entry = asks ? HAREntry(subject) : nil
      return queries.indices.filter { place in
        guard let query = queries[place], let entry else { return true }
        return query.matches(entry, number: 0)
      }
    }
  }

  private static func read(_ file: String) throws(CommandFailure) -> [Line] {
    let bytes: [UInt8]
    do throws(SystemCallError) {
      bytes = try WholeFile.read(file, limit: 1 << 20)
    } catch {
      throw CommandFailure(
        status: .badInput, what: "--rules \(file)", why: error.text, remedy: "name a file with a rule on each line")
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { Line(text: String($1).trimmed, place: "\(file):\($0 + 1)") }
      .filter { !$0.text.isEmpty && !$0.text.hasPrefix("#") }
  }
}

extension RuleParser.Parsed {
  /// Whether nothing is left for another rule, which has the same condition.
  fileprivate func endsAll(of other: RuleParser.Parsed) -> Bool {
    guard rule.query == other.rule.query, rule.share == .all else { return false }
    return switch rule.action {
    case .answer(let answer): answer.grpc == nil
    case .reset, .close, .timeout: true
    case .delay, .truncate, .stall, .rate, .edit, .content, .map, .rewrite: false
    }
  }
}

/// Says what became of the rules, for people.
enum RuleText {
  static func lines(for rules: InjectionRules) -> [String] {
    zip(rules.rules, rules.counts).enumerated().map { index, pair in
      let (rule, count) = pair
      let name = "rule \(index + 1) (\(rule.line.printable))"
      if count.matched == 0 { return "\(name) matched nothing\(nearest(to: rule, among: rules.missed))" }
      return "\(name) changed \(count.applied) of \(Count.text(count.matched, "matching exchange"))"
    }
  }

  /// The request that most of the condition holds for.
  private static func nearest(to rule: InjectionRule, among missed: [InjectionSubject]) -> String {
    guard !missed.isEmpty else { return "; no request came" }
    if case .map(let placement) = rule.action {
      return "; nothing was sent to \(Authority.text(host: placement.host, port: placement.port))"
    }
    guard let query = try? Query(aboutRequest: rule.query) else { return "" }
    let ranked = missed.map { ($0, query.countOfHolding(in: HAREntry($0))) }
    let best = ranked.max { ($0.1, $1.0.url) < ($1.1, $0.0.url) }
    return best.map { "; nearest: \($0.0.method) \($0.0.url.printable)" } ?? ""
  }
}

extension HAREntry {
  /// Has the facts of a request that are known when its head is here.
  fileprivate init(_ subject: InjectionSubject) {
    let fields = subject.fields
    let cookies = fields.values(of: .cookie).flatMap { $0.split(separator: ";") }.map { Self.pair($0) }
    let query = subject.url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let second = WallClockAnchor.process.unixNanoseconds(at: subject.started) / 1_000_000_000
    self.init(
      startedDateTime: "\(CivilDate(unixSeconds: second).text)Z", time: -1,
      request: HARRequest(
        method: subject.method, url: subject.url, httpVersion: subject.version.text,
        cookies: cookies.map { HARCookie(name: $0.name, value: $0.value) },
        headers: fields.map { HARHeader(name: $0.name, value: $0.value) },
        queryString: FormText.fields(of: query).map { HARQueryParameter(name: $0.name, value: $0.value) },
        headersSize: subject.headSize),
      response: HARResponse(
        status: 0, statusText: "", httpVersion: "unknown", content: HARContent(size: 0, mimeType: "x-unknown")),
      timings: HARTimings(send: -1, wait: -1, receive: -1))
  }

  private static func pair(_ text: Substring) -> (name: String, value: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0).trimmed }
    return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
  }
}

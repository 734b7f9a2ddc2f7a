internal import Synchronization
internal import TapelineBase
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineInspect
package import TapelineOffline
package import TapelineProxy
internal import TapelineSystem
internal import TapelineTime
internal import TapelineTransport

/// The rules of a recording, from the options and files that have them. Files that change are read again.
package enum RuleSet {
  private struct Line {
    let text: String
    /// The option, or the file and the line in it.
    let place: String
  }

  /// The rules at present, for any thread; `nil` where there are none, and no files that may have some later.
  package static func rules(
    _ lines: [String], files: [String], seed: UInt64, environment: [String: String], isQuiet: Bool = false
  ) throws(CommandFailure) -> (@Sendable () -> InjectionRules)? {
    guard !lines.isEmpty || !files.isEmpty else { return nil }
    let statuses = files.map(Self.status)
    let state = Mutex((rules: try Self.read(lines, files, seed, environment), statuses: statuses))
    // A look at each file costs less than a microsecond: the next request finds what an editor has just written.
    return {
      state.withLock { state in
        let statuses = files.map(Self.status)
        guard statuses != state.statuses else { return state.rules }
        state.statuses = statuses
        do throws(CommandFailure) {
          let rules = try Self.read(lines, files, seed, environment, following: state.rules)
          if !isQuiet { RuleText.lines(for: rules, after: state.rules).forEach { NoticeWriter.shared.say($0) } }
          state.rules = rules
        } catch {
          NoticeWriter.shared.say("\(error.description); the earlier rules stay", excerpt: error.choices)
        }
        return state.rules
      }
    }
  }

  /// The state of a file by which a change shows. A pipe is read once.
  private static func status(of file: String) -> FileStatus? {
    (try? SystemCalls.status(of: file)).flatMap { $0.kind == .regular ? $0 : nil }
  }

  private static func read(
    _ lines: [String], _ files: [String], _ seed: UInt64, _ environment: [String: String],
    following earlier: InjectionRules? = nil
  ) throws(CommandFailure) -> InjectionRules {
    var written = lines.map { Line(text: $0, place: "--rule") }
    for file in files { written += try read(file) }
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
    return InjectionRules(parsed.map(\.rule), seed: seed, following: earlier) { subject in
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
      .map { Line(text: String($1.trimmed), place: "\(file):\($0 + 1)") }
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
    case .delay, .truncate, .cut, .stall, .rate, .edit, .content, .map, .rewrite: false
    }
  }
}

/// Says what became of the rules, for people.
enum RuleText {
  static func lines(for rules: InjectionRules) -> [String] {
    zip(rules.rules, rules.standings).enumerated().map { index, pair in
      let (rule, standing) = pair
      let name = "rule \(index + 1) (\(rule.line.printable))" + (standing.isOff ? ", turned off," : "")
      if standing.matched == 0 { return "\(name) matched nothing\(standing.isOff ? "" : nearest(to: rule, among: rules.missed))" }
      return "\(name) changed \(standing.applied) of \(Count.text(standing.matched, "matching exchange"))"
    }
  }

  /// Says that files were read again, and what has become of the rules that they had and have no more.
  static func lines(for rules: InjectionRules, after earlier: InjectionRules) -> [String] {
    let kept = Set(rules.rules.map(\.line))
    let gone = zip(earlier.rules, lines(for: earlier)).filter { !kept.contains($0.0.line) }.map(\.1)
    return gone + ["the rules were read again: \(Count.text(rules.rules.count, "rule"))"]
  }

  /// The request that most of the condition holds for.
  private static func nearest(to rule: InjectionRule, among missed: [InjectionSubject]) -> String {
    guard !missed.isEmpty else { return "; no request came" }
    if case .map(let place, _) = rule.action {
      return "; nothing was sent to \(Authority.text(host: place.host, port: place.port))"
    }
    guard let query = try? Query(aboutRequest: rule.query) else { return "" }
    let ranked = missed.map { ($0, query.countOfHolding(in: HAREntry($0))) }
    guard let best = ranked.max(by: { ($0.1, $1.0.url) < ($1.1, $0.0.url) }) else { return "" }
    return "; nearest: \(best.0.method) \(best.0.url.printable)"
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
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0.trimmed) }
    return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
  }
}

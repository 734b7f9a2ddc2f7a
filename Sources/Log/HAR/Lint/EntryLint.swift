internal import TapelineBase

/// Checks one entry, mends what can be mended in a copy, and keeps the findings.
///
/// Checking and mending are one step: a rule changes `entry` wherever it finds something. So the later rules see what would be
/// written, and a repaired entry is clean when it is checked again.
struct EntryLint {
  /// The entry after all repairs; its shape is already right.
  var entry: HAREntry
  let path: HARPath
  let profiles: Set<HARProfile>
  /// The date for an entry whose own date cannot be read.
  let substituteDate: String
  private(set) var findings: [HARFinding]

  init(_ entry: HAREntry, at path: HARPath, _ profiles: Set<HARProfile>, substituteDate: String, findings: [HARFinding]) {
    self.entry = entry
    self.path = path
    self.profiles = profiles
    self.substituteDate = substituteDate
    self.findings = findings
  }

  mutating func run() {
    checkDates()
    checkAddresses()
    checkMessages()
    checkTimings()
    if profiles.contains(.devtools) { checkForDevTools() }
    if profiles.contains(.playwright) { checkForPlaywright() }
    if profiles.contains(.mitmproxy) { checkForMitmproxy() }
  }

  /// Keeps a finding, unless its place, or a value around it, has a finding already.
  mutating func report(_ rule: HARRule, at path: HARPath, _ message: String, isFixable: Bool = true) {
    guard !isReported(path) else { return }
    findings.append(
      HARFinding(
        rule: rule, severity: rule.severity(for: profiles), path: path, message: message, isFixable: isFixable))
  }

  private func isReported(_ path: HARPath) -> Bool {
    findings.contains { path.steps.starts(with: $0.path.steps) }
  }
}

// MARK: - Dates

extension EntryLint {
  private mutating func checkDates() {
    if let finding = DateLint.mend(&entry.startedDateTime, or: substituteDate) {
      report(finding.rule, at: path["startedDateTime"], finding.message)
    }
    checkCookies(\.request.cookies, at: path["request"]["cookies"])
    checkCookies(\.response.cookies, at: path["response"]["cookies"])
    checkCacheState(\.cache.beforeRequest, at: path["cache"]["beforeRequest"])
    checkCacheState(\.cache.afterRequest, at: path["cache"]["afterRequest"])
  }

  private mutating func checkCookies(_ cookies: WritableKeyPath<HAREntry, [HARCookie]>, at path: HARPath) {
    for index in entry[keyPath: cookies].indices {
      guard let expires = entry[keyPath: cookies][index].expires else { continue }
      var mended: String? = expires
      guard let finding = DateLint.mend(&mended) else { continue }
      entry[keyPath: cookies][index].expires = mended
      report(finding.rule == .badDate ? .cookieExpires : finding.rule, at: path[index]["expires"], finding.message)
    }
  }

  private mutating func checkCacheState(_ state: WritableKeyPath<HAREntry, HARCacheState?>, at path: HARPath) {
    guard var mended = entry[keyPath: state] else { return }
    if let finding = DateLint.mend(&mended.expires) {
      report(finding.rule, at: path["expires"], finding.message)
    }
    var lastAccess = mended.lastAccess ?? ""
    if let finding = DateLint.mend(&lastAccess, or: substituteDate) {
      report(finding.rule, at: path["lastAccess"], finding.message)
    }
    mended.lastAccess = lastAccess
    entry[keyPath: state] = mended
  }
}

// MARK: - Timings

extension EntryLint {
  /// Two microseconds: sums of decimal fractions are not exact.
  private static let tolerance = 0.002

  private mutating func checkTimings() {
    checkSigns()
    checkTLS()
    checkSum()
  }

  /// −1 means that a phase did not happen; sending, waiting and receiving always happen.
  private mutating func checkSigns() {
    for phase in Phase.allCases {
      guard let value = entry.timings[phase], value.asDuration == nil, phase.isRequired || value != -1 else { continue }
      entry.timings[phase] = phase.isRequired ? 0 : -1
      report(
        value, at: path["timings"][phase.name],
        phase.isRequired ? "a phase that every exchange has is not negative" : "a phase that did not happen is −1")
    }
  }

  /// A time that is none, because it is negative or because nothing takes so long.
  private mutating func report(_ phase: Double, at path: HARPath, _ message: String) {
    guard phase >= 0 else { return report(.negativePhase, at: path, message) }
    report(.impossibleNumber, at: path, "nothing takes \(phase) ms")
  }

  /// TLS is a part of connecting. If it was counted separately, `time` shows it, or `ssl` is longer than `connect`.
  private mutating func checkTLS() {
    guard let ssl = entry.timings.ssl, ssl > 0 else { return }
    let connect = max(entry.timings.connect ?? -1, 0)
    let isCountedBeside = (sum - entry.time).magnitude > Self.tolerance && (sum + ssl - entry.time).magnitude <= Self.tolerance
    guard isCountedBeside || ssl > connect + Self.tolerance else { return }
    entry.timings.connect = connect + ssl
    report(.sslOutsideConnect, at: path["timings"]["ssl"], "ssl lies inside of connect, and connect has it")
  }

  private mutating func checkSum() {
    guard (sum - entry.time).magnitude > Self.tolerance else { return }
    let path = path["time"]
    if sum == 0, (entry.time.asDuration ?? 0) > 0 {
      // Only the total was measured. It was mostly waiting.
      let isToldAlready = isReported(self.path["timings"])
      entry.timings.wait = entry.time
      if !isToldAlready { report(.wrongSum, at: path, "time is \(entry.time), and no phase took any") }
      return
    }
    report(.wrongSum, at: path, "time is \(entry.time), the phases make \(sum)")
    entry.time = sum
  }

  /// The correct value of `time`.
  private var sum: Double { entry.timings.sum }
}

/// The rules of HAR for a date, wherever it appears.
enum DateLint {
  /// Rewrites a date in the form that all readers take; `nil` when it has that form already.
  static func mend(_ text: inout String, or substitute: String) -> (rule: HARRule, message: String)? {
    var mended: String? = text
    guard let finding = mend(&mended) else { return nil }
    text = mended ?? substitute
    return finding
  }

  /// As above, but text that is not a date becomes `nil`.
  static func mend(_ text: inout String?) -> (rule: HARRule, message: String)? {
    guard let original = text else { return nil }
    switch InternetDate.readLogged(original) {
    case .exact(let date, let digits):
      guard digits > 6 else { return nil }
      text = date.text
      return (.longFraction, "\(digits) digits of a fraction; some readers take six at most")
    case .loose(let date):
      text = date.text
      return (.badDate, "\"\(original)\" is not a date of RFC 3339 with a zone")
    case nil:
      text = nil
      return (.badDate, "\"\(original)\" is not a date")
    }
  }
}

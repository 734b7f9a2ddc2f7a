/// Looks through one entry, mends what can be mended in a copy, and keeps what was found.
///
/// Looking and mending are one: a rule changes `entry` wherever it finds something, so that the rules after it see what
/// would be written, and so that what was repaired is clean when it is looked through again.
struct EntryLint {
  /// The entry as it is after all repairs; it has its shape already.
  var entry: HAREntry
  let path: HARPath
  let profiles: Set<HARProfile>
  /// The date for an entry whose own cannot be read.
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

  /// Keeps a finding, unless the place, or something around it, is known to be wrong already.
  mutating func report(_ rule: HARRule, at path: HARPath, _ message: String, isFixable: Bool = true) {
    guard !isReported(path) else { return }
    findings.append(
      HARFinding(
        rule: rule, severity: rule.severity(for: profiles), path: path, message: message, isFixable: isFixable))
  }

  func isReported(_ path: HARPath) -> Bool {
    findings.contains { path.steps.starts(with: $0.path.steps) }
  }
}

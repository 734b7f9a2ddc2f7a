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

  func isReported(_ path: HARPath) -> Bool {
    findings.contains { path.steps.starts(with: $0.path.steps) }
  }
}

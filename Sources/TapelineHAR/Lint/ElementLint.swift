internal import TapelineTime

/// Checks single elements of a log. Linting and repairing share it, so that both agree.
struct ElementLint: Sendable {
  let profiles: Set<HARProfile>
  private(set) var entryCount = 0
  /// The last date that could be read: the best guess for an entry without a date.
  private(set) var lastDate = InternetDate.epoch.text
  private var screen = EntryScreen()

  init(profiles: Set<HARProfile>) {
    self.profiles = profiles
  }

  /// The data that pages need of an entry without findings; `nil` when something is, or may be, wrong: then call `entry`.
  mutating func screened(_ json: Span<UInt8>) -> (pageref: String?, date: String)? {
    // The rules of single readers are about members that the screen does not keep.
    guard profiles.isSubset(of: [.firefox]), let entry = screen.take(json) else { return nil }
    var lint = EntryLint(entry, at: HARPath.log["entries"][entryCount], profiles, substituteDate: lastDate, findings: [])
    lint.run()
    guard lint.findings.isEmpty else { return nil }
    entryCount += 1
    lastDate = entry.startedDateTime
    return (entry.pageref, entry.startedDateTime)
  }

  /// An entry as it should be, or `nil` when it cannot be read as an entry, with what was wrong.
  mutating func entry(_ json: Span<UInt8>) throws(HARReadError) -> (entry: HAREntry?, findings: [HARFinding]) {
    let path = HARPath.log["entries"][entryCount]
    entryCount += 1
    let (shaped, findings) = try Self.shaped(json, as: .object(.entry), at: path, profiles)
    guard let shaped else { return (nil, findings) }
    let entry = try findings.isEmpty ? HAREntry(json: json) : HAREntry(json: shaped.json)
    var lint = EntryLint(entry, at: path, profiles, substituteDate: lastDate, findings: findings)
    lint.run()
    lastDate = lint.entry.startedDateTime
    return (lint.entry, lint.findings)
  }

  /// The value as a valid `type`, or `nil` when nothing of it can be used, with what was wrong.
  static func shaped(
    _ json: Span<UInt8>, as type: HARType, at path: HARPath, _ profiles: Set<HARProfile>
  ) throws(HARReadError) -> (value: HARValue?, findings: [HARFinding]) {
    var value = try HARValue(json: json)
    var findings: [HARFinding] = []
    type.conform(&value, at: path) { warning in
      let rule = HARRule(warning.kind)
      findings.append(
        HARFinding(
          rule: rule, severity: rule.severity(for: profiles), path: warning.path, message: warning.text, isFixable: true))
    }
    return (value == .null ? nil : value, findings)
  }
}

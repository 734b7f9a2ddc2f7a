internal import TapelineTime

/// Looks through single elements of a log. It is the same for who only looks and for who mends, so that both agree.
struct ElementLint: Sendable {
  let profiles: Set<HARProfile>
  private(set) var entryCount = 0
  /// The last date that could be read: the best guess for an entry that has none.
  private(set) var lastDate = InternetDate.epoch.text
  private var screen = EntryScreen()

  init(profiles: Set<HARProfile>) {
    self.profiles = profiles
  }

  /// What pages want to know of an entry in which nothing is wrong; `nil` when something is, or may be, and `entry` must look at it.
  mutating func screened(_ json: Span<UInt8>) -> (pageref: String?, date: String)? {
    // The rules of single readers are about members that are not kept.
    guard profiles.isSubset(of: [.firefox]), let entry = screen.take(json) else { return nil }
    var lint = EntryLint(entry, at: HARPath.log["entries"][entryCount], profiles, substituteDate: lastDate, findings: [])
    lint.run()
    guard lint.findings.isEmpty else { return nil }
    entryCount += 1
    lastDate = entry.startedDateTime
    return (entry.pageref, entry.startedDateTime)
  }

  /// An entry as it should be, or `nil` when it is none at all, with what was wrong.
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

  /// A value as `type` wants it, or `nil` when nothing of it is, with what was wrong.
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

internal import TapelineBase

/// Finds in a HAR of any size, by any program, what readers reject or misunderstand. Memory holds one entry and the pages.
///
/// ```swift
/// var lint = HARLint(profiles: [.devtools])
/// for piece in pieces { try lint.feed(piece.span) { print($0.path, $0.message) } }
/// try lint.finish { print($0.path, $0.message) }
/// ```
///
/// `HARRepair` mends the findings in a second pass.
public struct HARLint: Sendable {
  /// The programs that should read the log, besides HAR 1.2.
  public let profiles: Set<HARProfile>
  /// How many findings were errors.
  public private(set) var errorCount = 0
  /// How many findings were warnings.
  public private(set) var warningCount = 0
  /// How many findings cannot be repaired.
  public private(set) var unfixableCount = 0
  /// How many entries were checked.
  public var entryCount: Int { elements.entryCount }

  /// The number of bytes that are held.
  package var heldCount: Int { reader.heldCount }

  private var reader = HARElementReader()
  private var elements: ElementLint
  private(set) var pages = PageLint()
  /// All members of the log except pages and entries, mended.
  private(set) var log = HARObject()
  /// The members beside `log`, mended.
  private(set) var beside = HARObject()
  private var mark: [UInt8]? = []

  /// - Parameter profiles: the programs that should read the log.
  public init(profiles: Set<HARProfile> = []) {
    self.profiles = profiles
    elements = ElementLint(profiles: profiles)
  }

  /// Takes the next bytes of the text and reports what is wrong in the elements that are complete so far.
  public mutating func feed(_ bytes: Span<UInt8>, report: (HARFinding) -> Void) throws(HARReadError) {
    lookForMark(bytes, report)
    reader.feed(bytes)
    try read(report)
  }

  /// Ends the text, and reports the findings that depend on all of it.
  public mutating func finish(report: (HARFinding) -> Void) throws(HARReadError) {
    reader.finish()
    try read(report)
    finishLog(report)
    var found: [(HARRule, HARPath, String)] = []
    pages.finish { found.append(($0, $1, $2)) }
    for (rule, path, message) in found { tell(rule, path, message, report) }
  }

  private mutating func read(_ report: (HARFinding) -> Void) throws(HARReadError) {
    while let element = try reader.next() {
      do throws(HARReadError) {
        switch element.kind {
        case .entry: try readEntry(element, report)
        case .page: try readPage(element, report)
        case .member(let name): try readMember(name, element, report)
        case .beside(let name): beside.members.append(try readForeign(name, element, at: HARPath(steps: [.member(name)]), report))
        }
      } catch {
        pass(element, HARReadError(kind: error.kind, offset: element.range.lowerBound + error.offset), report)
      }
    }
  }

  /// Reports an element that is not JSON, although its end can be found. A repair leaves it out.
  private mutating func pass(_ element: HARElementReader.Element, _ error: HARReadError, _ report: (HARFinding) -> Void) {
    let path: HARPath
    switch element.kind {
    case .entry: path = HARPath.log["entries"][elements.entryCount - 1]
    case .page:
      path = HARPath.log["pages"][pages.count]
      pages.skip()
    case .member(let name): path = HARPath.log[name]
    case .beside(let name): path = HARPath(steps: [.member(name)])
    }
    tell(.notJSON, path, "it is not JSON, \(error), and no reader has it", report)
  }

  private mutating func readEntry(_ element: HARElementReader.Element, _ report: (HARFinding) -> Void) throws(HARReadError) {
    let index = elements.entryCount
    if let (pageref, date) = reader.withBytes(of: element, { elements.screened($0) }) {
      return pages.refer(to: pageref, from: index, date: date)
    }
    let (entry, findings) = try reader.withBytes(of: element) { (json) throws(HARReadError) in try elements.entry(json) }
    findings.forEach { tell($0, report) }
    if let entry { pages.refer(to: entry.pageref, from: index, date: entry.startedDateTime) }
  }

  private mutating func readPage(_ element: HARElementReader.Element, _ report: (HARFinding) -> Void) throws(HARReadError) {
    let path = HARPath.log["pages"][pages.count]
    let (value, findings) = try reader.withBytes(of: element) { (json) throws(HARReadError) in
      try ElementLint.shaped(json, as: .object(.page), at: path, profiles)
    }
    findings.forEach { tell($0, report) }
    guard let value else { return pages.skip() }
    let page = try HARPage(json: value.json.span)
    var found: [(HARRule, HARPath, String)] = []
    pages.append(page, substituteDate: elements.lastDate) { found.append(($0, $1, $2)) }
    for (rule, path, message) in found where !findings.contains(where: { $0.path == path }) {
      tell(rule, path, message, report)
    }
  }

  private mutating func readMember(
    _ name: String, _ element: HARElementReader.Element, _ report: (HARFinding) -> Void
  ) throws(HARReadError) {
    guard let known = HARShape.log.member(name) else {
      log.members.append(try readForeign(name, element, at: HARPath.log[name], report))
      return
    }
    let (value, findings) = try reader.withBytes(of: element) { (json) throws(HARReadError) in
      try ElementLint.shaped(json, as: known.type, at: HARPath.log[name], profiles)
    }
    findings.forEach { tell($0, report) }
    if log.contains(name) { tell(.duplicateMember, HARPath.log[name], "the name appears twice in its object", report) }
    // An unusable value has been reported; at the end it counts as absent.
    log[name] = value ?? known.substitute ?? .null
  }

  /// A member that the format does not define.
  private mutating func readForeign(
    _ name: String, _ element: HARElementReader.Element, at path: HARPath, _ report: (HARFinding) -> Void
  ) throws(HARReadError) -> HARObject.Member {
    let (value, findings) = try reader.withBytes(of: element) { (json) throws(HARReadError) in
      (try HARValue(odd: json), try ElementLint.oddities(in: json, at: path, profiles))
    }
    findings.forEach { tell($0, report) }
    return HARObject.Member(name: name, value: value)
  }

  private mutating func finishLog(_ report: (HARFinding) -> Void) {
    for member in HARShape.log.members {
      guard let substitute = member.substitute, !log.contains(member.name) else { continue }
      // Arrays are not members here: they were read element by element.
      if member.name == "entries", reader.hasEntries { continue }
      if member.name != "entries" { log[member.name] = substitute }
      tell(.missingMember, HARPath.log[member.name], "a required member is missing", report)
    }
    log.members.removeAll { $0.value == .null || $0.name == "entries" || $0.name == "pages" }
    if let version = log["version"]?.string, version != "1.2" {
      tell(.version, HARPath.log["version"], "the version is \"\(version)\", not \"1.2\"", report)
      log["version"] = "1.2"
    }
  }

  /// A byte order mark may come in pieces.
  private mutating func lookForMark(_ bytes: Span<UInt8>, _ report: (HARFinding) -> Void) {
    guard var start = mark else { return }
    for index in bytes.indices where start.count < 3 { start.append(bytes[index]) }
    guard start.count == 3 else {
      mark = start
      return
    }
    mark = nil
    if start == [0xEF, 0xBB, 0xBF] {
      tell(.byteOrderMark, HARPath(steps: []), "the text begins with a byte order mark", report)
    }
  }

  private mutating func tell(_ rule: HARRule, _ path: HARPath, _ message: String, _ report: (HARFinding) -> Void) {
    tell(HARFinding(rule: rule, severity: rule.severity(for: profiles), path: path, message: message, isFixable: true), report)
  }

  private mutating func tell(_ finding: HARFinding, _ report: (HARFinding) -> Void) {
    switch finding.severity {
    case .error: errorCount += 1
    case .warning: warningCount += 1
    }
    if !finding.isFixable { unfixableCount += 1 }
    report(finding)
  }
}

/// Checks that a HAR is valid: the rules of HAR 1.2 and of its JSON schema, and those that a schema cannot express (sums, `ssl`
/// inside of `connect`, pages that exist).
///
/// It is a `HARLint` that reports only errors, and has no profiles.
public struct HARValidator: Sendable {
  private var lint = HARLint()

  /// A validator for one text.
  public init() {}

  /// Takes the next bytes of the text and reports what is wrong in the elements that are complete so far.
  public mutating func feed(_ bytes: Span<UInt8>, report: (HARFinding) -> Void) throws(HARReadError) {
    try lint.feed(bytes) { if $0.severity == .error { report($0) } }
  }

  /// Ends the text, and reports the findings that depend on all of it.
  public mutating func finish(report: (HARFinding) -> Void) throws(HARReadError) {
    try lint.finish { if $0.severity == .error { report($0) } }
  }

  /// Everything that is wrong in a complete HAR.
  public static func findings(in bytes: [UInt8]) throws(HARReadError) -> [HARFinding] {
    var validator = HARValidator()
    var findings: [HARFinding] = []
    try validator.feed(bytes.span) { findings.append($0) }
    try validator.finish { findings.append($0) }
    return findings
  }
}

/// Checks single elements of a log. Linting and repairing share it, so that both agree.
struct ElementLint: Sendable {
  let profiles: Set<HARProfile>
  private(set) var entryCount = 0
  /// The last date that could be read: the best guess for an entry without a date.
  private(set) var lastDate = InternetDate.epoch.text

  init(profiles: Set<HARProfile>) {
    self.profiles = profiles
  }

  /// The data that pages need of an entry without findings; `nil` when something is, or may be, wrong: then call `entry`.
  mutating func screened(_ json: Span<UInt8>) -> (pageref: String?, date: String)? {
    // The rules of single readers are about members that a scan does not keep.
    guard profiles.isSubset(of: [.firefox]), let entry = ScannedEntry(checking: json)?.entry else { return nil }
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
    let entry = try findings.isEmpty ? HAREntry(json: json) : HAREntry(json: shaped.json.span)
    var lint = EntryLint(entry, at: path, profiles, substituteDate: lastDate, findings: findings)
    lint.run()
    lastDate = lint.entry.startedDateTime
    return (lint.entry, lint.findings)
  }

  /// The value as a valid `type`, or `nil` when nothing of it can be used, with what was wrong.
  static func shaped(
    _ json: Span<UInt8>, as type: HARType, at path: HARPath, _ profiles: Set<HARProfile>
  ) throws(HARReadError) -> (value: HARValue?, findings: [HARFinding]) {
    var value = try HARValue(odd: json)
    var findings = try oddities(in: json, at: path, profiles)
    type.conform(&value, at: path) { findings.append(HARFinding($0, profiles)) }
    return (value == .null ? nil : value, findings)
  }

  /// The faults in the value that a strict reader of JSON refuses.
  static func oddities(
    in json: Span<UInt8>, at path: HARPath, _ profiles: Set<HARProfile>
  ) throws(HARReadError) -> [HARFinding] {
    var findings: [HARFinding] = []
    try json.findOddities(at: path) { findings.append(HARFinding($0, profiles)) }
    return findings
  }
}

extension HARFinding {
  fileprivate init(_ warning: HARReadWarning, _ profiles: Set<HARProfile>) {
    let rule = HARRule(warning.kind)
    self.init(rule: rule, severity: rule.severity(for: profiles), path: warning.path, message: warning.text, isFixable: true)
  }
}

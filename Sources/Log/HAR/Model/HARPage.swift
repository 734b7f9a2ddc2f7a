/// A group of entries: a page for a browser, the capture for us.
public struct HARPage: Sendable, Hashable {
  /// ISO 8601 with a time zone.
  public var startedDateTime: String
  /// The name that an entry's `pageref` refers to.
  public var id: String
  /// For people.
  public var title: String
  /// When the page was loaded.
  public var pageTimings: HARPageTimings
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject
  /// Required members that the log lacks, if the reader was asked to note them.
  package var lacking: [HARPath] = []

  /// Makes a value of its members.
  public init(
    startedDateTime: String, id: String, title: String, pageTimings: HARPageTimings = HARPageTimings(), comment: String? = nil,
    custom: HARObject = [:]
  ) {
    self.startedDateTime = startedDateTime
    self.id = id
    self.title = title
    self.pageTimings = pageTimings
    self.comment = comment
    self.custom = custom
  }
}

extension HARPage: HARRecord {
  init() {
    self.init(startedDateTime: "", id: "", title: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "startedDateTime": try parser.read(&startedDateTime)
    case "id": try parser.read(&id)
    case "title": try parser.read(&title)
    case "pageTimings": try parser.read(&pageTimings)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("startedDateTime", startedDateTime, except: custom)
    writer.append("id", id, except: custom)
    writer.append("title", title, except: custom)
    writer.append("pageTimings", pageTimings, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

extension HARPage {
  /// Reads a page from bytes that hold exactly one.
  public init(json bytes: Span<UInt8>) throws(HARReadError) {
    self = try bytes.withParser(range: 0..<bytes.count) { (parser) throws(HARReadError) in
      guard let page: HARPage = try parser.readRecord() else { throw parser.failure(.expected("a page")) }
      try parser.expectEnd()
      return page
    }
  }

  /// Reads a page that is written as it was: without members that it lacks.
  package init(exact bytes: Span<UInt8>) throws(HARReadError) {
    try self.init(json: bytes)
    var tree = try HARValue(odd: bytes)
    HARType.object(.page).conform(&tree, at: HARPath(steps: [])) { warning in
      if warning.kind == .missing { lacking.append(warning.path) }
    }
  }

  /// `id`, or `id` with the first number that makes it unique among `ids`.
  package static func unusedID(like id: String, in ids: Set<String>) -> String {
    guard ids.contains(id) else { return id }
    // Those before are mostly taken: few are asked for, however many there are.
    var (taken, free) = (1, 2)
    while ids.contains("\(id)-\(free)") { (taken, free) = (free, free * 2) }
    while free - taken > 1 {
      let middle = (taken + free) / 2
      if ids.contains("\(id)-\(middle)") { taken = middle } else { free = middle }
    }
    return "\(id)-\(free)"
  }
}

/// Milliseconds from the page's start; −1 when the event does not apply.
public struct HARPageTimings: Sendable, Hashable {
  /// When the document was loaded.
  public var onContentLoad: Double?
  /// When all of the page was loaded.
  public var onLoad: Double?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    onContentLoad: Double? = nil, onLoad: Double? = nil, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.onContentLoad = onContentLoad
    self.onLoad = onLoad
    self.comment = comment
    self.custom = custom
  }
}

extension HARPageTimings: HARRecord {
  /// Nothing is known.
  public init() {
    self.init(custom: [:])
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "onContentLoad": try parser.read(&onContentLoad)
    case "onLoad": try parser.read(&onLoad)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("onContentLoad", onContentLoad, except: custom)
    writer.append("onLoad", onLoad, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

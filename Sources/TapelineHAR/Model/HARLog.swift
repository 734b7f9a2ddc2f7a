/// A whole HAR in memory. For files of any size use `HARReader` and `HARFraming`.
public struct HARLog: Sendable, Hashable {
  /// Of the format: `1.2`.
  public var version: String
  /// The program that wrote the log.
  public var creator: HARCreator
  /// The browser whose exchanges these are.
  public var browser: HARCreator?
  /// The groups of entries.
  public var pages: [HARPage]
  /// The exchanges.
  public var entries: [HAREntry]
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    version: String = "1.2", creator: HARCreator, browser: HARCreator? = nil, pages: [HARPage] = [], entries: [HAREntry] = [],
    comment: String? = nil, custom: HARObject = [:]
  ) {
    self.version = version
    self.creator = creator
    self.browser = browser
    self.pages = pages
    self.entries = entries
    self.comment = comment
    self.custom = custom
  }
}

extension HARLog {
  /// Reads a HAR from bytes that hold all of it.
  public init(json bytes: [UInt8]) throws(HARReadError) {
    self.init(version: "", creator: HARCreator())
    var reader = HARReader()
    reader.feed(bytes)
    reader.finish()
    while let event = try reader.next() { take(event) }
  }

  /// Adds an event of the reader.
  package mutating func take(_ event: HARReader.Event) {
    switch event {
    case .version(let text): version = text
    case .creator(let value): creator = value
    case .browser(let value): browser = value
    case .page(let page): pages.append(page)
    case .entry(let entry): entries.append(entry)
    case .comment(let text): comment = text
    case .member(let member): custom.members.append(member)
    case .warning: preconditionFailure("only a reader that was asked to reports warnings")
    }
  }

  /// The log that `members` describe, without entries. They have the shape of a log.
  init(mended members: HARObject, pages: [HARPage]) {
    self.init(version: "1.2", creator: HARCreator(), pages: pages)
    for member in members.members {
      switch (member.name, member.value) {
      case ("version", .string(let text)): version = text
      case ("creator", let value): creator = HARCreator(object: value)
      case ("browser", let value): browser = HARCreator(object: value)
      case ("comment", .string(let text)): comment = text
      default: custom.members.append(member)
      }
    }
  }

  /// The log as JSON text, an entry in each line.
  public var json: [UInt8] {
    var writer = JSONWriter()
    HARFraming.open(self, in: &writer)
    for (index, entry) in entries.enumerated() {
      if index > 0 { HARFraming.separate(in: &writer) }
      writer.append(entry: entry)
    }
    HARFraming.close(in: &writer)
    return writer.bytes
  }
}

/// A whole HAR in memory. For files of any size use `HARReader` and `HARFraming`.
public struct HARLog: Sendable, Hashable {
  /// The version of the format: `1.2`.
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
  /// Members beside `log`, which the format does not define either.
  public var beside: HARObject = [:]
  /// The names of `version`, `creator` and `pages`, if the log lacks them and is to be written without.
  package var lacking: Set<String> = []

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
    while let event = try reader.next() {
      if case .unreadable(_, let error) = event { throw error }
      take(event)
    }
  }

  /// Adds an event of the reader. Warnings, and what cannot be read, add nothing.
  package mutating func take(_ event: HARReader.Event) {
    switch event {
    case .version(let text): version = text
    case .creator(let value): creator = value
    case .browser(let value): browser = value
    case .page(let page): pages.append(page)
    case .entry(let entry): entries.append(entry)
    case .comment(let text): comment = text
    case .member(let member): custom.members.append(member)
    case .beside(let member): beside.members.append(member)
    case .warning, .unreadable: break
    }
  }

  /// The log that `members` describe, without entries. They have the shape of a log.
  init(mended members: HARObject, pages: [HARPage], beside: HARObject) {
    self.init(version: "1.2", creator: HARCreator(), pages: pages)
    self.beside = beside
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
    HARFraming.close(beside: beside, in: &writer)
    return writer.bytes
  }
}

/// The program that wrote the log; also the form of `browser`.
public struct HARCreator: Sendable, Hashable {
  /// The program.
  public var name: String
  /// Its version.
  public var version: String
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject
  /// Required members that the log lacks, if the reader was asked to note them.
  package var lacking: [HARPath] = []

  /// Makes a value of its members.
  public init(
    name: String, version: String, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.name = name
    self.version = version
    self.comment = comment
    self.custom = custom
  }
}

extension HARCreator: HARRecord {
  init() {
    self.init(name: "", version: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "name": try parser.read(&name)
    case "version": try parser.read(&version)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("name", name, except: custom)
    writer.append("version", version, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

extension HARCreator {
  /// As an object.
  package var value: HARValue {
    var writer = JSONWriter()
    writer.append(record: self)
    do throws(HARReadError) {
      return try HARValue(odd: writer.bytes.span)
    } catch {
      preconditionFailure("what was written as JSON can be read as JSON")
    }
  }

  /// From an object.
  package init(object value: HARValue) {
    self.init(name: value["name"]?.string ?? "", version: value["version"]?.string ?? "", comment: value["comment"]?.string)
    custom.members = (value.object ?? [:]).members.filter { member in
      !["name", "version", "comment"].contains(member.name) || member.value.string == nil
    }
    lacking = ["name", "version"].filter { value[$0] == nil }.map { HARPath(steps: [.member($0)]) }
  }
}

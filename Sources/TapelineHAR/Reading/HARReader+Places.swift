extension HARReader {
  mutating func step() throws(HARReadError) -> Step {
    switch place {
    case .start: try stepStart()
    case .root(let container): try stepRoot(container)
    case .log(let container): try stepLog(container)
    case .pages(let container):
      try stepElement(container, HARReader.Place.pages, leaving: "pages") { (parser) throws(HARReadError) in
        var page = HARPage()
        return try parser.read(&page) ? .page(page) : nil
      }
    case .entries(let container):
      try stepElement(container, HARReader.Place.entries, leaving: "entries") { (parser) throws(HARReadError) in
        var entry = HAREntry()
        return try parser.read(&entry) ? .entry(entry) : nil
      }
    case .end: try stepEnd()
    }
  }

  private mutating func stepStart() throws(HARReadError) -> Step {
    if origin == 0, position == 0 {
      // A byte order mark, whole or not yet.
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      if buffer.starts(with: mark) {
        position = mark.count
      } else if !isFinished, mark.starts(with: buffer) {
        return .starved
      }
    }
    guard let octet = try nextOctet() else { return .starved }
    guard octet == UInt8(ascii: "{") else { throw failure(.expected("an object")) }
    position += 1
    place = .root(.first)
    return .moved
  }

  private mutating func stepRoot(_ container: Container) throws(HARReadError) -> Step {
    if case .value("log") = container {
      guard let octet = try nextOctet() else { return .starved }
      guard octet == UInt8(ascii: "{") else { throw failure(.missingLog) }
      position += 1
      hasLog = true
      place = .log(.first)
      return .moved
    }
    if case .value = container {
      guard let range = try nextValue() else { return .starved }
      var parser = parser(range)
      _ = try parser.readValue()
      position = range.upperBound
      place = .root(.separator)
      return .moved
    }
    return try stepMember(container, HARReader.Place.root, end: .end)
  }

  private mutating func stepLog(_ container: Container) throws(HARReadError) -> Step {
    guard case .value(let name) = container else {
      return try stepMember(container, HARReader.Place.log, end: .root(.separator))
    }
    guard let octet = try nextOctet() else { return .starved }
    if octet == UInt8(ascii: "["), name == "pages" || name == "entries" {
      position += 1
      place = name == "pages" ? .pages(.first) : .entries(.first)
      return .moved
    }
    guard let range = try nextValue() else { return .starved }
    var parser = parser(range)
    let event = try Self.logEvent(name, from: &parser)
    try parser.expectEnd()
    position = range.upperBound
    place = .log(.separator)
    return .event(event)
  }

  private static func logEvent(_ name: String, from parser: inout JSONParser) throws(HARReadError) -> Event {
    switch name {
    case "version":
      var text = ""
      if try parser.read(&text) { return .version(text) }
    case "comment":
      var text = ""
      if try parser.read(&text) { return .comment(text) }
    case "creator":
      var creator = HARCreator()
      if try parser.read(&creator) { return .creator(creator) }
    case "browser":
      var browser = HARCreator()
      if try parser.read(&browser) { return .browser(browser) }
    default: break
    }
    return .member(HARObject.Member(name: name, value: try parser.readValue()))
  }

  /// A member's name, or the end of the object.
  private mutating func stepMember(
    _ container: Container, _ here: (Container) -> Place, end: Place
  ) throws(HARReadError) -> Step {
    guard let octet = try nextOctet() else { return .starved }
    switch (container, octet) {
    case (.first, UInt8(ascii: "}")), (.separator, UInt8(ascii: "}")):
      position += 1
      place = end
    case (.separator, UInt8(ascii: ",")):
      position += 1
      place = here(.next)
    case (.first, UInt8(ascii: "\"")), (.next, UInt8(ascii: "\"")):
      guard let range = try nextValue() else { return .starved }
      guard try hasColon(after: range.upperBound) else { return .starved }
      var parser = parser(range)
      let name = try parser.readString()
      place = here(.value(name))
    case (.separator, _): throw failure(.expected("a comma or the end of the object"))
    case (.first, _), (.next, _): throw failure(.expected("a member's name"))
    case (.value, _): preconditionFailure("a value is taken before the next member is looked for")
    }
    return .moved
  }

  /// An element of `pages` or `entries`, or the end of the array.
  private mutating func stepElement(
    _ container: Container, _ here: (Container) -> Place, leaving name: String,
    _ read: (inout JSONParser) throws(HARReadError) -> Event?
  ) throws(HARReadError) -> Step {
    guard let octet = try nextOctet() else { return .starved }
    switch (container, octet) {
    case (.first, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")):
      position += 1
      place = .log(.separator)
      return .moved
    case (.separator, UInt8(ascii: ",")):
      position += 1
      place = here(.next)
      return .moved
    case (.separator, _): throw failure(.expected("a comma or the end of \(name)"))
    case (.first, _), (.next, _):
      guard let range = try nextValue() else { return .starved }
      var parser = parser(range)
      guard let event = try read(&parser) else { throw failure(.expected("an object in \(name)")) }
      position = range.upperBound
      place = here(.separator)
      return .event(event)
    case (.value, _): preconditionFailure("an array has no members")
    }
  }

  private mutating func stepEnd() throws(HARReadError) -> Step {
    while position < buffer.count {
      guard Self.isWhiteSpace(buffer[position]) else { throw failure(.expected("the end of the text")) }
      position += 1
    }
    if isFinished, !hasLog { throw failure(.missingLog) }
    return .starved
  }
}

package import TapelineHAR
package import TapelineInspect
internal import TapelineSystem

/// A HAR named on the command line: its exchanges with their numbers, and its errors as the program reports them.
package struct CaptureFile: ~Copyable {
  private let name: String
  private let filter: Query?
  private let bodies: BodyFiles
  private let bringsBodiesIn: Bool
  private var capture: Capture
  private var titles = PageTitles()
  private var count = 0
  /// The number of body files that were asked for and do not exist.
  private(set) var missingBodies = 0
  /// The number of entries and other elements that could not be read, and were passed over.
  private(set) var unreadable = 0
  /// Features that must become something else when the log is written again.
  private(set) var mended = MendedTexts()

  /// Whether it names what cannot be read: a source that is read twice is told of once.
  private let isFirstReading: Bool

  /// The most elements that are named.
  private static let namedLimit = 5

  /// - Parameters:
  ///   - parts: the parts of the exchanges that the caller looks at.
  ///   - filter: the exchanges to return; each keeps the number of its place in the file.
  ///   - bodies: the log's body files; `nil` for those in the place that the log names. A filter that looks at bodies reads them.
  ///   - bringsBodiesIn: whether the caller looks at the body files, too.
  ///   - isExact: whether the log is to be written again.
  package init(
    path: String, parts: HAREntryParts = .all, filter: Query? = nil, bodies: BodyFiles? = nil, bringsBodiesIn: Bool = false,
    isExact: Bool = false
  ) throws(CommandFailure) {
    let needsTitles = parts.union(filter?.parts ?? []).contains(.pageTitle)
    self.init(
      try Self.source(path, for: needsTitles ? .again : .once), parts: parts, filter: filter, bodies: bodies,
      bringsBodiesIn: bringsBodiesIn, isExact: isExact)
  }

  /// Begins at the start of a source that `source(_:for:)` has opened.
  package init(
    _ source: InputSource, parts: HAREntryParts = .all, filter: Query? = nil, bodies: BodyFiles? = nil,
    bringsBodiesIn: Bool = false, isExact: Bool = false
  ) {
    let parts = parts.union(filter?.parts ?? [])
    name = source.name
    self.filter = filter
    self.bodies = bodies ?? BodyFiles(besideHAR: source.name)
    self.bringsBodiesIn = bringsBodiesIn
    isFirstReading = source.claimFirstReading()
    capture = Capture(source, parts: parts, isExact: isExact)
    if parts.contains(.pageTitle) { titles = PageTitles.read(source, .whole) }
  }

  /// Opens a HAR; `-` is standard input.
  package static func source(_ path: String, for use: InputSource.Use = .once) throws(CommandFailure) -> InputSource {
    do throws(CaptureError) {
      return try InputSource.open(
        path, for: use, temporariesIn: TemporaryFiles.directory(ProcessEnvironment.variables()))
    } catch {
      throw failure(path, error)
    }
  }

  /// From the next exchange on, reads only these parts and those that the filter needs.
  mutating func limit(to parts: HAREntryParts) {
    capture.limit(to: parts.union(filter?.parts ?? []))
  }

  /// Reads no more than the beginning of each body's text in the exchanges that follow, unless the filter looks at bodies.
  mutating func limit(bodiesTo size: Int) {
    if filter?.parts.contains(.bodies) != true { capture.limit(bodiesTo: size) }
  }

  /// How much of the file has been read, from 0 to 1; `nil` if its length is unknown.
  var progress: Double? { capture.progress }

  /// The bytes of the text, decompressed, that hold the last exchange.
  var entryRange: Range<Int> { capture.entryRange }

  /// The next exchange. Pages on the way to it go to `onPage`, and everything that is not an exchange to `onOther`. What cannot
  /// be read is reported and passed over.
  package mutating func next(
    onPage: (HARPage) -> Void = { _ in }, onOther: (HARReader.Event) -> Void = { _ in }
  ) throws(CommandFailure) -> (number: Int, entry: HAREntry)? {
    do throws(CaptureError) {
      while let event = try capture.nextEvent() {
        switch event {
        case .entry(var entry):
          count += 1
          titles.name(&entry)
          entry.file = name
          guard matches(entry) else { continue }
          if bringsBodiesIn { missingBodies += bodies.bringIn(&entry) }
          return (count, entry)
        case .page(let page):
          titles.add(page)
          onPage(page)
          onOther(event)
        case .unreadable(let kind, let error): pass(kind, error)
        case .warning(let warning): mended.add(warning)
        case .version, .creator, .browser, .comment, .member, .beside: onOther(event)
        }
      }
      if unreadable > Self.namedLimit, isFirstReading { Console.say("\(name): \(unreadable) elements in all cannot be read") }
      return nil
    } catch {
      throw Self.failure(name, error)
    }
  }

  /// The figures of the next exchange; `nil` if it is not ordinary, if a filter must look at it, or if nothing of it has been
  /// read yet: then `next` goes on. The parts to read are `figures` at most.
  mutating func nextFigures() throws(CommandFailure) -> (number: Int, figures: ScannedEntry)? {
    do throws(CaptureError) {
      guard filter == nil, let figures = try capture.nextFigures() else { return nil }
      count += 1
      return (count, figures)
    } catch {
      throw Self.failure(name, error)
    }
  }

  /// Passes the next exchange if it has figures, which is far faster than `next`; otherwise `false`.
  mutating func passOrdinary() throws(CommandFailure) -> Bool {
    try nextFigures() != nil
  }

  private mutating func pass(_ kind: HARElementReader.Element.Kind, _ error: HARReadError) {
    unreadable += 1
    let element: String
    switch kind {
    case .entry:
      count += 1
      element = "exchange \(count)"
    case .page: element = "a page"
    case .member(let name), .beside(let name): element = name.printable
    }
    guard unreadable <= Self.namedLimit, isFirstReading else { return }
    Console.say("\(name): \(element) cannot be read and is passed over: \(error.description)")
  }

  private func matches(_ entry: HAREntry) -> Bool {
    guard let filter else { return true }
    guard filter.parts.contains(.bodies) else { return filter.matches(entry, number: count) }
    var whole = entry
    bodies.bringIn(&whole)
    return filter.matches(whole, number: count)
  }

  /// The log without its entries.
  package static func header(_ source: InputSource) throws(CommandFailure) -> HARLog {
    do throws(CaptureError) {
      return try CaptureHeader.read(source)
    } catch {
      throw failure(source.name, error)
    }
  }

  package static func failure(_ path: String, _ error: CaptureError) -> CommandFailure {
    let remedy =
      switch error {
      case .system: "name a HAR that can be read"
      case .malformed: "name a HAR; everything before the damage was read"
      case .foreign(let content, _): content.remedy ?? "name a HAR"
      case .undecodable: "everything before that was read; tapeline recover saves it"
      case .overpacked: "unpack it by its own program if you trust it, and name what comes of that"
      case .notGrowing: "leave out --follow"
      case .notKept: "free some space, name another directory with TMPDIR, or name a file that is not compressed"
      }
    return CommandFailure(
      status: .badInput, what: path == "-" ? "standard input" : path, why: error.description, remedy: remedy)
  }
}

/// A HAR named on the command line that is still being recorded, and its errors as the program reports them.
struct FollowedFile: ~Copyable {
  private var path: String
  private let needsTitles: Bool
  private var capture: FollowedCapture
  private var titles = PageTitles()

  /// - Parameter parts: the parts of the exchanges that the caller looks at.
  init(path: String, parts: HAREntryParts) throws(CommandFailure) {
    self.path = path
    needsTitles = parts.contains(.pageTitle)
    do throws(CaptureError) {
      capture = try FollowedCapture(path: path, parts: parts)
    } catch {
      throw CaptureFile.failure(path, error)
    }
  }

  /// The next event; waits for it after `caughtUp`. `nil` when the recording has ended.
  mutating func next() throws(CommandFailure) -> FollowedCapture.Event? {
    do throws(CaptureError) {
      switch try capture.next() {
      case .entry(let number, var entry):
        if needsTitles { try name(&entry) }
        return .entry(number: number, entry)
      case .unreadable(let number, let error):
        Console.say("\(path): exchange \(number) cannot be read and is passed over: \(error.description)")
        return .unreadable(number: number, error)
      case .nextFile(let path):
        self.path = path
        titles = PageTitles()
        return .nextFile(path)
      case .caughtUp: return .caughtUp
      case nil: return nil
      }
    } catch {
      throw CaptureFile.failure(path, error)
    }
  }

  /// The pages come after the entries, so they are read again for an entry with a new page.
  private mutating func name(_ entry: inout HAREntry) throws(CaptureError) {
    titles.name(&entry)
    guard entry.pageref != nil, entry.pageTitle == nil else { return }
    titles = PageTitles.read(try InputSource.open(path), .near)
    titles.name(&entry)
  }
}

package import TapelineHAR

/// Merges several logs into one: all pages, and the entries in the order in which their exchanges began.
///
/// Each log is read twice: once to find the positions of its entries (a few dozen bytes of memory for each), once to copy them
/// unchanged but for the names of pages and body files.
package struct CaptureMerge {
  /// Why a merge failed.
  package enum Failure<SinkFailure: Error>: Error {
    /// The log at this position in the list of inputs cannot be read.
    case source(Int, CaptureError)
    case sink(SinkFailure)
  }

  private struct Place {
    let start: Int
    let source: Int32
    let entry: Int32
  }

  private let sources: [MergeSource]
  /// For each merged entry in order, its log and its place there.
  private let order: [Place]

  /// Reads every log once, from sources that can be read anywhere.
  ///
  /// - Parameter output: the path of the merged log.
  package init(_ inputs: [InputSource], into output: String) throws(Failure<Never>) {
    var sources: [MergeSource] = []
    var ids: Set<String> = []
    for (index, input) in inputs.enumerated() {
      do throws(CaptureError) {
        sources.append(try MergeSource(input, into: output))
      } catch {
        throw .source(index, error)
      }
      sources[index].claimIDs(&ids)
    }
    var order: [Place] = []
    for (index, source) in sources.enumerated() {
      for (number, entry) in source.entries.enumerated() {
        order.append(Place(start: entry.start, source: Int32(index), entry: Int32(number)))
      }
    }
    order.sort { ($0.start, $0.source, $0.entry) < ($1.start, $1.source, $1.entry) }
    self.sources = sources
    self.order = order
  }

  /// The number of entries.
  package var entryCount: Int { order.count }

  /// The elements of the logs that could not be read, and are left out: the first of each log, and how many there are.
  package var unreadable: [(file: String, count: Int, first: HARReadError)] {
    sources.compactMap { source in source.unreadable.first.map { (source.name, source.unreadable.count, $0) } }
  }

  /// Writes the merged log, whose creator is `creator`.
  package func write<SinkFailure: Error>(
    creator: HARCreator, sink: @escaping (Span<UInt8>) throws(SinkFailure) -> Void
  ) throws(Failure<SinkFailure>) {
    var writer = HARWriter(log(creator), sink: sink)
    for place in order {
      let bytes = try bytes(at: place, SinkFailure.self)
      do throws(SinkFailure) {
        try writer.write(json: bytes.span)
      } catch {
        throw .sink(error)
      }
    }
    do throws(SinkFailure) {
      try writer.finish()
    } catch {
      throw .sink(error)
    }
  }

  private func bytes<SinkFailure: Error>(
    at place: Place, _: SinkFailure.Type
  ) throws(Failure<SinkFailure>) -> [UInt8] {
    let source = sources[Int(place.source)]
    do throws(CaptureError) {
      return try source.bytes(of: source.entries[Int(place.entry)])
    } catch {
      throw .source(Int(place.source), error)
    }
  }

  /// The header of the merged log: `_merged` has a summary of each source log.
  private func log(_ creator: HARCreator) -> HARLog {
    let comments = sources.compactMap { source in source.comment.map { "\(source.name): \($0)" } }
    var log = HARLog(
      creator: creator, browser: commonBrowser, pages: sources.flatMap(\.pages),
      comment: comments.isEmpty ? nil : comments.joined(separator: "; "))
    log.custom[.merged] = .array(sources.map(\.summary))
    if let dropped { log.custom[.dropped] = dropped }
    let bypassed = sources.flatMap { $0.members[.bypassed]?.array ?? [] }
    if !bypassed.isEmpty { log.custom[.bypassed] = .array(bypassed) }
    return log
  }

  /// The browser, if all logs have the same.
  private var commonBrowser: HARCreator? {
    guard let first = sources.first?.browser, sources.allSatisfy({ $0.browser == first }) else { return nil }
    return first
  }

  /// The gaps that the logs report, added up.
  private var dropped: HARValue? {
    var sum = HARObject()
    for member in sources.flatMap({ $0.members[.dropped]?.object?.members ?? [] }) {
      guard let count = member.value.integer else { continue }
      sum[member.name] = .number(HARNumber((sum[member.name]?.integer ?? 0).addingSaturating(count)))
    }
    return sum.isEmpty ? nil : .object(sum)
  }
}

/// One of the logs to merge: its header, and the positions of its entries.
private final class MergeSource {
  /// The position of an entry, and the time at which its exchange began.
  struct Entry {
    /// Nanoseconds since 1970.
    let start: Int
    let range: Range<Int>
    /// Whether strict readers of JSON refuse it.
    let isOdd: Bool
  }

  let name: String
  let file: InputFile
  let entries: [Entry]
  private(set) var pages: [HARPage]
  private(set) var version = ""
  private(set) var creator: HARCreator?
  private(set) var browser: HARCreator?
  private(set) var comment: String?
  private(set) var members = HARObject()
  /// The members beside the log.
  private let beside: HARObject
  let unreadable: [HARReadError]
  /// The new ids in the merged log of pages whose ids another log already uses.
  private var newIDs: [String: String] = [:]
  private let bodyFiles: BodyFileNames

  /// Reads the log once.
  init(_ input: InputSource, into output: String) throws(CaptureError) {
    let path = input.name
    bodyFiles = BodyFileNames(of: path, in: output)
    name = String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    var reader = InputFile(input)
    var index = Index()
    var unreadable: [HARReadError] = []
    try reader.forEachElement { (element, bytes) throws(HARReadError) in
      try index.take(element, bytes)
    } passing: {
      unreadable.append($1)
    }
    self.unreadable = unreadable
    file = reader
    entries = index.entries
    pages = index.pages
    beside = index.beside
    for member in index.members.members { keep(member) }
  }

  private func keep(_ member: HARObject.Member) {
    switch (member.name, member.value) {
    case ("version", .string(let text)): version = text
    case ("comment", .string(let text)): comment = text
    case ("creator", .object): creator = HARCreator(object: member.value)
    case ("browser", .object): browser = HARCreator(object: member.value)
    default: members.members.append(member)
    }
  }

  /// Gives the pages ids that are not in `taken`, and adds them to `taken`.
  func claimIDs(_ taken: inout Set<String>) {
    for index in pages.indices {
      let id = pages[index].id
      pages[index].id = HARPage.unusedID(like: id, in: taken)
      if pages[index].id != id { newIDs[id] = pages[index].id }
      taken.insert(pages[index].id)
    }
  }

  /// The merged log's summary of this log.
  var summary: HARValue {
    var summary: HARObject = ["file": .string(name), "entries": .number(HARNumber(entries.count))]
    if let creator { summary["creator"] = creator.value }
    if let browser { summary["browser"] = browser.value }
    if let comment { summary["comment"] = .string(comment) }
    summary.members += members.members
    if !beside.isEmpty { summary["beside"] = .object(beside) }
    return .object(summary)
  }

  /// The bytes of an entry as they go into the merged log.
  func bytes(of entry: Entry) throws(CaptureError) -> [UInt8] {
    let bytes = try file.bytes(in: entry.range)
    guard bytes.count == entry.range.count else {
      // The file has become shorter since the first pass.
      throw .malformed(HARReadError(kind: .unexpectedEnd, offset: entry.range.lowerBound + bytes.count))
    }
    do throws(HARReadError) {
      return try withNewPage(withNewBodyFiles(entry.isOdd ? HARValue(odd: bytes.span).json : bytes))
    } catch {
      throw .malformed(HARReadError(kind: error.kind, offset: entry.range.lowerBound + error.offset))
    }
  }

  private func withNewBodyFiles(_ bytes: [UInt8]) throws(HARReadError) -> [UInt8] {
    guard bodyFiles.change else { return bytes }
    var entry = try HAREntry(exact: bytes.span)
    return bodyFiles.follow(&entry) ? entry.json : bytes
  }

  private func withNewPage(_ bytes: [UInt8]) throws(HARReadError) -> [UInt8] {
    guard !newIDs.isEmpty else { return bytes }
    let pageref = try HAREntry(json: bytes.span, parts: .overview).pageref
    guard let id = pageref.flatMap({ newIDs[$0] }) else { return bytes }
    return try HAREntry.json(bytes, pageref: id)
  }
}

/// The result of one pass over a log.
private struct Index {
  var entries: [MergeSource.Entry] = []
  var pages: [HARPage] = []
  var members = HARObject()
  var beside = HARObject()

  mutating func take(_ element: HARElementReader.Element, _ bytes: Span<UInt8>) throws(HARReadError) {
    switch element.kind {
    case .entry:
      // Parses the whole entry: everything copied into the merged log must be valid JSON.
      let (entry, isStrict) = try HAREntry.reading(bytes)
      // An entry without a date stays after the entry before it.
      let start = unixNanoseconds(ofDate: entry.startedDateTime) ?? entries.last?.start ?? 0
      entries.append(MergeSource.Entry(start: start, range: element.range, isOdd: !isStrict))
    case .page: pages.append(try HARPage(exact: bytes))
    case .member(let name): members.members.append(HARObject.Member(name: name, value: try HARValue(odd: bytes)))
    case .beside(let name): beside.members.append(HARObject.Member(name: name, value: try HARValue(odd: bytes)))
    }
  }
}

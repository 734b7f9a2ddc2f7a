internal import TapelineHAR

/// One of the logs to merge: its header, and the positions of its entries.
final class MergeSource {
  /// The position of an entry, and the time at which its exchange began.
  struct Entry {
    /// Nanoseconds since 1970.
    let start: Int
    let range: Range<Int>
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
  /// The new ids in the merged log of pages whose ids another log already uses.
  private var newIDs: [String: String] = [:]

  /// Reads the log once.
  init(_ input: InputSource) throws(CaptureError) {
    let path = input.name
    name = String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    var reader = InputFile(input)
    var index = Index()
    try reader.forEachElement { (element, bytes) throws(HARReadError) in try index.take(element, bytes) }
    file = reader
    entries = index.entries
    pages = index.pages
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
    if let creator { summary["creator"] = ["name": .string(creator.name), "version": .string(creator.version)] }
    if let browser { summary["browser"] = ["name": .string(browser.name), "version": .string(browser.version)] }
    if let comment { summary["comment"] = .string(comment) }
    summary.members += members.members
    return .object(summary)
  }

  /// The bytes of an entry as they go into the merged log.
  func bytes(of entry: Entry) throws(CaptureError) -> [UInt8] {
    let bytes = try file.bytes(in: entry.range)
    guard bytes.count == entry.range.count else {
      // The file has become shorter since the first pass.
      throw .malformed(HARReadError(kind: .unexpectedEnd, offset: entry.range.lowerBound + bytes.count))
    }
    guard !newIDs.isEmpty else { return bytes }
    do throws(HARReadError) {
      let pageref = try HAREntry(json: bytes.span, parts: .overview).pageref
      guard let id = pageref.flatMap({ newIDs[$0] }) else { return bytes }
      return try HAREntry.json(bytes, pageref: id)
    } catch {
      throw .malformed(HARReadError(kind: error.kind, offset: entry.range.lowerBound + error.offset))
    }
  }
}

/// The result of one pass over a log.
private struct Index {
  var entries: [MergeSource.Entry] = []
  var pages: [HARPage] = []
  var members = HARObject()

  mutating func take(_ element: HARElementReader.Element, _ bytes: Span<UInt8>) throws(HARReadError) {
    switch element.kind {
    case .entry:
      // Parses the whole entry: everything copied into the merged log must be valid JSON.
      let date = try HAREntry(json: bytes).startedDateTime
      // An entry without a date stays after the entry before it.
      let start = unixNanoseconds(ofDate: date) ?? entries.last?.start ?? 0
      entries.append(MergeSource.Entry(start: start, range: element.range))
    case .page: pages.append(try HARPage(json: bytes))
    case .member(let name): members.members.append(HARObject.Member(name: name, value: try HARValue(json: bytes)))
    }
  }
}

package import TapelineHAR

/// The titles of a log's pages by id; entries have only the ids.
package struct PageTitles: Sendable {
  private var titles: [String: String] = [:]

  /// At most this many titles are kept, whatever a stranger's log holds; a page beyond the limit goes by its id.
  private static let limit = 65_536

  package init() {}

  /// If several pages have the same id, the first counts.
  package mutating func add(_ page: HARPage) {
    guard titles[page.id] == nil, titles.count < Self.limit, !page.title.isEmpty else { return }
    titles[page.id] = page.title
  }

  /// Gives the entry the title of its page.
  package func name(_ entry: inout HAREntry) {
    entry.pageTitle = entry.pageref.flatMap { titles[$0] }
  }
}

extension HARPage {
  /// `nil` for what is no page: the reader of the entries reports it.
  fileprivate init?(ifReadable bytes: Span<UInt8>) {
    do throws(HARReadError) {
      self = try HARPage(json: bytes)
    } catch {
      return nil
    }
  }
}

extension HAREntry {
  /// The name of its page for people: the title, else the id.
  var page: String? { pageTitle ?? pageref }

  /// The directory of its file, as it was named; `.` for a name without one.
  var directory: String? { file.map(directoryPart) }
}

/// The part of a path before its last component: `a/b` of `a/b/c.har`, `.` of `c.har`.
package func directoryPart(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

extension PageTitles {
  /// How far to look for pages that come after the entries.
  package enum Reach: Sendable {
    /// Only in the last part of the file, where our recorder puts them; in a compressed file, anywhere.
    case near
    case whole
  }

  /// Reads the pages of a log, wherever they are in it; none from a source that can be read only once. Damage, or a file that
  /// is not a log, ends the reading: the reader of the entries reports it.
  package static func read(_ source: InputSource, _ reach: Reach) -> PageTitles {
    var titles = PageTitles()
    guard source.isSeekable else { return titles }
    do throws(CaptureError) {
      if try titles.readEnd(of: source) { return titles }
      var file = InputFile(source)
      var reader = HARElementReader()
      while try file.read() {
        file.withPiece { reader.feed($0) }
        // In a compressed file, the end can only be reached by reading everything.
        guard titles.drain(&reader, file.compression == nil ? reach : .whole) else { break }
      }
      return titles
    } catch {
      return titles
    }
  }

  /// Returns whether there may be more.
  private mutating func drain(_ reader: inout HARElementReader, _ reach: Reach) -> Bool {
    do throws(HARReadError) {
      while let element = try reader.next() {
        switch element.kind {
        case .page:
          if let page = reader.withBytes(of: element, { HARPage(ifReadable: $0) }) { add(page) }
        case .entry: if reader.hasPages || reach == .near { return false }
        case .member, .beside: break
        }
      }
      return true
    } catch {
      return false
    }
  }

  /// The size of the last part of the file that is searched for `pages`.
  private static let endSize = 1 << 20
  private static let name = Array(#""pages":["#.utf8)

  /// Reads the pages of a log that our recorder wrote, without reading the text before them; `false` if there are no pages.
  ///
  /// Inside a JSON string the quotes of the name would be escaped, so a match is a member. The brackets from there to the end of
  /// the file match only if `pages` is a member of `log`.
  private mutating func readEnd(of source: InputSource) throws(CaptureError) -> Bool {
    guard let end = try source.end(atMost: Self.endSize), let start = Self.lastName(in: end) else { return false }
    var found = PageTitles()
    var reader = HARElementReader()
    reader.feed(Array(#"{"log":{"#.utf8).span)
    reader.feed(end.span.extracting(start..<end.count))
    reader.finish()
    guard found.drain(&reader, .whole), reader.hasPages else { return false }
    self = found
    return true
  }

  private static func lastName(in bytes: [UInt8]) -> Int? {
    var start = bytes.count - name.count
    while start >= 0 {
      if bytes[start] == name[0], bytes[start..<start + name.count].elementsEqual(name) { return start }
      start -= 1
    }
    return nil
  }
}

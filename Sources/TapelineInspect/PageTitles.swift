package import TapelineHAR

/// The titles of the pages of a log by their ids, for entries have ids only.
package struct PageTitles: Sendable {
  private var titles: [String: String] = [:]

  /// No more are kept, whatever a stranger's log holds; beyond, an id stands for itself.
  private static let limit = 65_536

  package init() {}

  /// Of several pages with one id, the first counts.
  package mutating func add(_ page: HARPage) {
    guard titles[page.id] == nil, titles.count < Self.limit, !page.title.isEmpty else { return }
    titles[page.id] = page.title
  }

  /// Gives the entry the title of its page.
  package func name(_ entry: inout HAREntry) {
    entry.pageTitle = entry.pageref.flatMap { titles[$0] }
  }
}

extension HAREntry {
  /// What people call its page: the title, else the id.
  var page: String? { pageTitle ?? pageref }
}

extension PageTitles {
  /// How far to look for pages that stand behind the entries.
  package enum Reach: Sendable {
    /// Not beyond the last part of the file, where our recorder puts them; of what is compressed, anywhere.
    case near
    case whole
  }

  /// Reads the pages of a log, wherever they stand in it; none of what can be read only once. What is damaged or no log ends the
  /// reading: the reader of the entries meets it too.
  package static func read(_ source: InputSource, _ reach: Reach) -> PageTitles {
    var titles = PageTitles()
    guard source.isSeekable else { return titles }
    do throws(CaptureError) {
      if try titles.readEnd(of: source) { return titles }
      var file = InputFile(source)
      var reader = HARElementReader()
      while try file.read() {
        file.withPiece { reader.feed($0) }
        // Compressed, the end is no nearer than the rest.
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
        case .page: add(try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try HARPage(json: bytes) })
        case .entry: if reader.hasPages || reach == .near { return false }
        case .member: break
        }
      }
      return true
    } catch {
      return false
    }
  }

  /// Where the last part of a log may lie that has all pages in it.
  private static let endSize = 1 << 20
  private static let name = Array(#""pages":["#.utf8)

  /// Reads the pages of a log that our recorder wrote without reading what comes before them; `false` when there are none.
  ///
  /// Within a string of JSON the quotes of a name would be escaped, so what is found is a member. Read as one of `log` it comes out
  /// even at the end of the file only if it is one.
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

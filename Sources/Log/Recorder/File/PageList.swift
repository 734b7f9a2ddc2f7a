internal import TapelineHAR
internal import TapelineTime

/// The pages of a capture that new entries may still belong to, and which of them the current file lists.
///
/// A file lists consecutive pages: from the oldest page of its entries up to the current page.
struct PageList {
  /// In order; never empty.
  private var pages: [RecordedPage]
  /// The first page that the current file lists.
  private var firstListed: PageID
  /// The listed pages as JSON, separated by commas.
  private(set) var listed: [UInt8] = []
  private let anchor: WallClockAnchor

  /// The most pages in one file, because each write to it writes all of them.
  static let most = 1_000

  init(first page: RecordedPage, anchor: WallClockAnchor) {
    pages = [page]
    firstListed = page.id
    self.anchor = anchor
    list()
  }

  /// The pages that the file of a recording before a crash lists, in order and not empty.
  init(continuing pages: [RecordedPage], anchor: WallClockAnchor) {
    self.pages = pages
    firstListed = pages[0].id
    self.anchor = anchor
    list()
  }

  var current: RecordedPage { pages[pages.count - 1] }

  /// Whether the next page must be the first of a new file.
  var isFull: Bool { pages.count { $0.id >= firstListed } >= Self.most }

  mutating func append(_ page: RecordedPage) {
    precondition(page.id > current.id && !isFull, "pages come in order, and a full list begins anew with a file")
    pages.append(page)
    if pages.count > Self.most { pages.removeFirst() }
    list()
  }

  /// Begins the list of a new file with the current page.
  mutating func beginFile() {
    firstListed = current.id
    list()
  }

  /// The page that was current at `instant`; the file lists it from now on.
  ///
  /// An exchange that began before every page still known belongs to the oldest of those pages.
  mutating func page(at instant: MonotonicInstant?) -> PageID {
    guard let instant, instant < current.began else { return current.id }
    let page = pages.last { $0.began <= instant } ?? pages[0]
    if page.id < firstListed {
      firstListed = page.id
      list()
    }
    return page.id
  }

  func title(of id: PageID) -> String {
    pages.last { $0.id == id }?.title ?? ""
  }

  func facts(of id: PageID) -> PageFacts {
    let page = pages.last { $0.id == id } ?? pages[0]
    return PageFacts(id: page.id.text, title: page.title, unixNanoseconds: anchor.unixNanoseconds(at: page.began))
  }

  private mutating func list() {
    var writer = JSONWriter()
    for page in pages where page.id >= firstListed {
      if writer.count > 0 { writer.append(byte: UInt8(ascii: ",")) }
      append(page, to: &writer)
    }
    listed = writer.bytes
  }

  private func append(_ page: RecordedPage, to writer: inout JSONWriter) {
    var dates = DateWriter()
    writer.append(json: #"{"startedDateTime":""#)
    dates.append(unixNanoseconds: anchor.unixNanoseconds(at: page.began), to: &writer)
    writer.append(json: #"","id":""#)
    writer.append(json: Array(page.id.text.utf8).span)
    writer.append(json: #"","title":"#)
    writer.append(string: page.title)
    // A proxy sees no page load.
    writer.append(json: #","pageTimings":{"onContentLoad":-1,"onLoad":-1}}"#)
  }
}

/// A page's number in the capture: 1 for the first. Its `id` is `page_` and the number.
struct PageID: Hashable, Comparable {
  let number: UInt64

  static let first = PageID(number: 1)

  var next: PageID { PageID(number: number + 1) }

  var text: String { "page_\(number)" }

  init(number: UInt64) {
    self.number = number
  }

  /// Reads `text`.
  init?(_ text: String) {
    guard text.hasPrefix("page_"), let number = UInt64(text.dropFirst(5)), number > 0 else { return nil }
    self.number = number
  }

  /// Writes the beginning of an entry on this page: everything that another thread does not know.
  func beginEntry(in writer: inout JSONWriter) {
    writer.append(json: #"{"pageref":"page_"#)
    writer.append(integer: number)
    writer.append(byte: UInt8(ascii: "\""))
  }

  static func < (left: PageID, right: PageID) -> Bool {
    left.number < right.number
  }
}

/// A group of entries: those whose request began while the page was the current one.
struct RecordedPage {
  let id: PageID
  let title: String
  let began: MonotonicInstant

  /// Each write to a file writes the titles of its pages.
  private static let longestTitle = 1_000

  init(id: PageID, title: String, began: MonotonicInstant) {
    self.id = id
    self.title = String(String.UnicodeScalarView(title.unicodeScalars.prefix(Self.longestTitle)))
    self.began = began
  }
}

internal import TapelineTime

/// A page's number in the capture: 1 for the first. Its `id` is `page_` and the number.
struct PageID: Hashable, Comparable {
  let number: UInt64

  static let first = PageID(number: 1)

  var next: PageID { PageID(number: number + 1) }

  var text: String { "page_\(number)" }

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

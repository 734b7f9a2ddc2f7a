internal import TapelineHAR

/// An instant that a field is compared with.
struct QueryDateTest: Hashable, Sendable {
  let order: QueryOrder
  /// Since 1970.
  let nanoseconds: Int

  /// `nil` when the text is not a date.
  init?(order: QueryOrder, date: String) {
    guard let nanoseconds = unixNanoseconds(ofDate: date) else { return nil }
    self.order = order
    self.nanoseconds = nanoseconds
  }

  func holds(for text: String) -> Bool {
    unixNanoseconds(ofDate: text).map { order.holds($0, nanoseconds) } ?? false
  }
}

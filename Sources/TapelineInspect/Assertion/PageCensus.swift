package import TapelineHAR

/// The pages that the exchanges of a capture belong to, by title, else by id.
package struct PageCensus: Sendable {
  /// In the order of appearance; pages with the same title count as one.
  private(set) var names: [String] = []
  private var known: Set<String> = []

  /// Our captures have at most this many. Pages beyond the limit are not told apart.
  static let limit = 1_000

  package init() {}

  package mutating func add(_ entry: HAREntry) {
    guard let page = entry.page, names.count < Self.limit, known.insert(page).inserted else { return }
    names.append(page)
  }
}

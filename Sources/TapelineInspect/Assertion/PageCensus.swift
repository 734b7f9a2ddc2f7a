package import TapelineHAR

/// The pages that the exchanges of a capture belong to, by what people call them.
package struct PageCensus: Sendable {
  /// In the order in which they are met; pages of one title are one.
  private(set) var names: [String] = []
  private var known: Set<String> = []

  /// As many as a capture of ours has; those beyond are not told apart.
  static let limit = 1_000

  package init() {}

  package mutating func add(_ entry: HAREntry) {
    guard let page = entry.page, names.count < Self.limit, known.insert(page).inserted else { return }
    names.append(page)
  }
}

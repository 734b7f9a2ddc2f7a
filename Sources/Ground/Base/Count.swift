/// Numbers with their noun.
package enum Count {
  /// `1 exchange`, `2 exchanges`.
  ///
  /// - Parameter many: the plural, if it is not `one` with an s.
  package static func text(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? "\(one)s")"
  }
}

/// Whether a value is a Boolean, or one in a box of Foundation's (`NSNumber`). Every number 0 or 1 in such a box can be cast to
/// `Bool`, so a cast does not tell.
func isBoolean(_ value: Any) -> Bool {
  let kind = type(of: value)
  return kind == Bool.self || "\(kind)" == "__NSCFBoolean"
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
  /// The number as forms have always had it: `1` for 1.0, as long as every digit counts.
  var shortText: String {
    let digits = Self.significandBitCount > 30 ? 1e16 : 1e7
    guard isFinite, self == rounded(.towardZero), magnitude < Self(digits) else { return description }
    return "\(Int64(self))"
  }
}

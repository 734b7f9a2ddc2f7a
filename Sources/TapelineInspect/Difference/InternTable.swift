/// Gives equal values the same small number, so that many exchanges share them; its memory has a bound.
struct InternTable<Value: Hashable & Sendable>: Sendable {
  private var numbers: [Value: UInt32] = [:]
  private var values: [Value] = []
  private var size = 0
  private let sizeLimit: Int

  /// - Parameter sizeLimit: in bytes, as callers give them for the values.
  init(sizeLimit: Int) {
    self.sizeLimit = sizeLimit
  }

  /// `nil` for a new value that no longer fits.
  mutating func number(of value: Value, size: Int) -> UInt32? {
    if let number = numbers[value] { return number }
    guard self.size + size <= sizeLimit else { return nil }
    self.size += size
    let number = UInt32(values.count)
    values.append(value)
    numbers[value] = number
    return number
  }

  subscript(number: UInt32) -> Value { values[Int(number)] }
}

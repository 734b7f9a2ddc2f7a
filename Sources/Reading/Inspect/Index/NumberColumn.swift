/// The numbers of a column of an index, one for each row; not a number where the log has none.
struct NumberColumn {
  /// How the numbers are written: in four bytes if that loses nothing.
  private enum Form: UInt8, CaseIterable {
    /// No row has a number.
    case absent
    case whole
    case thousandths
    case double

    /// The number in four bytes; `nil` if it is not one of these.
    func code(of value: Double) -> UInt32? {
      guard !value.isNaN else { return Self.absence }
      switch self {
      case .absent, .double: return nil
      case .whole: return Self.code(value, of: value) { $0 }
      case .thousandths: return Self.code((value * 1_000).rounded(), of: value) { $0 / 1_000 }
      }
    }

    /// Bit by bit, so that a negative zero remains one.
    private static func code(_ code: Double, of value: Double, _ decoded: (Double) -> Double) -> UInt32? {
      guard let whole = UInt32(exactly: code), whole != absence, decoded(Double(whole)).bitPattern == value.bitPattern else {
        return nil
      }
      return whole
    }

    /// Stands for a missing number.
    static let absence = UInt32.max
  }

  private(set) var values: [Double]

  init(_ values: [Double] = []) {
    self.values = values
  }

  mutating func append(_ value: QueryValue) {
    switch value {
    case .number(let number): values.append(number)
    case .flag(let flag): values.append(flag ? 1 : 0)
    case .absent, .text, .titled, .numbered, .object, .several: values.append(.nan)
    }
  }

  var encoded: [UInt8] {
    guard values.contains(where: { !$0.isNaN }) else { return [Form.absent.rawValue] }
    for form in [Form.whole, .thousandths] {
      let codes = values.lazy.map(form.code)
      guard codes.allSatisfy({ $0 != nil }) else { continue }
      var bytes = [form.rawValue]
      ColumnBytes.append(codes.compactMap(\.self), to: &bytes)
      return bytes
    }
    var bytes = [Form.double.rawValue]
    ColumnBytes.append(values, to: &bytes)
    return bytes
  }

  /// `nil` if these are not the bytes of a column with so many rows.
  init?(_ encoded: [UInt8], rows: Int) {
    guard let form = encoded.first.flatMap(Form.init) else { return nil }
    var bytes = ColumnBytes(encoded, from: 1)
    switch form {
    case .absent: values = [Double](repeating: .nan, count: rows)
    case .whole, .thousandths:
      guard let codes = bytes.numbers(UInt32.self, count: rows) else { return nil }
      let divisor: Double = form == .whole ? 1 : 1_000
      values = codes.map { $0 == Form.absence ? .nan : Double($0) / divisor }
    case .double:
      guard let numbers = bytes.numbers(Double.self, count: rows) else { return nil }
      values = numbers
    }
    guard bytes.rest().isEmpty else { return nil }
  }

  subscript(row: Int) -> Double? {
    values[row].isNaN ? nil : values[row]
  }
}

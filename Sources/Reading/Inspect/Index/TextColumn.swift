internal import TapelineHAR

/// The texts of a column of an index: each distinct value once, and for each row the place of its value among them.
struct TextColumn {
  /// A value for each row.
  let places: [UInt32]
  /// Where each value begins, and where the last one ends.
  private let bounds: [UInt32]
  private let bytes: ArraySlice<UInt8>

  /// `nil` if these are not the bytes of a column with so many rows.
  init?(_ encoded: [UInt8], rows: Int) {
    var reader = ColumnBytes(encoded)
    guard let count = reader.numbers(UInt32.self, count: 1)?.first,
      let bounds = reader.numbers(UInt32.self, count: Int(count) + 1),
      let places = count == 1 ? [UInt32](repeating: 0, count: rows) : reader.numbers(UInt32.self, count: rows),
      places.allSatisfy({ $0 < count })
    else { return nil }
    bytes = reader.rest()
    guard bounds.first == 0, Int(bounds[bounds.count - 1]) == bytes.count, zip(bounds, bounds.dropFirst()).allSatisfy(<=) else {
      return nil
    }
    self.bounds = bounds
    self.places = places
  }

  /// How many distinct values there are.
  var count: Int { bounds.count - 1 }

  /// The value at a place, from 0 to `count`.
  func value(at place: Int) -> QueryValue {
    let start = bytes.startIndex
    return QueryValue(indexed: bytes[start + Int(bounds[place])..<start + Int(bounds[place + 1])])
  }

  subscript(row: Int) -> QueryValue { value(at: Int(places[row])) }

  /// Collects the values of a column.
  struct Builder {
    private var places: [UInt32] = []
    private var known: [QueryValue: UInt32] = [:]
    private var values: [QueryValue] = []
    private var last: (value: QueryValue, place: UInt32)?

    /// - Returns: the bytes by which the column has grown, besides those for a row.
    mutating func append(_ value: QueryValue) -> Int {
      if let last, last.value == value {
        places.append(last.place)
        return 0
      }
      let isNew = known[value] == nil
      let place = known[value] ?? UInt32(values.count)
      if isNew {
        known[value] = place
        values.append(value)
      }
      places.append(place)
      last = (value, place)
      return isNew ? value.size : 0
    }

    var encoded: [UInt8] {
      var texts: [UInt8] = []
      var bounds: [UInt32] = [0]
      for value in values {
        texts += value.indexed
        bounds.append(UInt32(texts.count))
      }
      var bytes: [UInt8] = []
      ColumnBytes.append([UInt32(values.count)] + bounds, to: &bytes)
      if values.count != 1 { ColumnBytes.append(places, to: &bytes) }
      return bytes + texts
    }
  }
}

extension QueryValue {
  /// The bytes of a value's texts.
  var size: Int {
    switch self {
    case .text(let text), .numbered(let text, _): text.utf8.count
    case .titled(let title, let id): title.utf8.count + id.utf8.count
    case .absent, .number, .flag, .object, .several: 0
    }
  }

  private enum Tag {
    static let text = UInt8(ascii: "t")
    static let titled = UInt8(ascii: "p")
    static let numbered = UInt8(ascii: "n")
  }

  /// A value of a text column as bytes; nothing for a missing value.
  fileprivate var indexed: [UInt8] {
    switch self {
    case .text(let text): [Tag.text] + text.utf8
    case .titled(let title, let id):
      // The length of the id is needed to find its end.
      [Tag.titled] + String(id.utf8.count).utf8 + [UInt8(ascii: " ")] + id.utf8 + title.utf8
    case .numbered(let text, let number): [Tag.numbered] + String(number).utf8 + [UInt8(ascii: " ")] + text.utf8
    case .absent, .number, .flag, .object, .several: []
    }
  }

  fileprivate init(indexed bytes: ArraySlice<UInt8>) {
    let content = bytes.dropFirst()
    let blank = content.firstIndex(of: UInt8(ascii: " ")) ?? content.endIndex
    let head = String(decoding: content[..<blank], as: UTF8.self)
    let rest = content[blank...].dropFirst()
    switch bytes.first {
    case Tag.text: self = .text(String(decoding: content, as: UTF8.self))
    case Tag.titled:
      let length = min(rest.count, max(0, Int(head) ?? 0))
      self = .titled(
        String(decoding: rest.dropFirst(length), as: UTF8.self), id: String(decoding: rest.prefix(length), as: UTF8.self))
    case Tag.numbered: self = .numbered(String(decoding: rest, as: UTF8.self), Double(head) ?? 0)
    default: self = .absent
    }
  }
}

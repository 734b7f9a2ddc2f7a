/// The value of a field in one exchange.
enum QueryValue: Hashable, Sendable {
  /// The log has no value.
  case absent
  case number(Double)
  case text(String)
  /// The text that is shown, and another text that queries can also match.
  case titled(String, id: String)
  /// The text that is shown, and the number that it stands for.
  case numbered(String, Double)
  case flag(Bool)
  /// An object: a query can only ask whether it exists.
  case object
  /// A field that may have several lines, or the elements of an array.
  case several([QueryValue])

  /// The value of a field without a comparison: true if the value exists and is not `false`, zero or empty.
  var isTrue: Bool {
    switch self {
    case .absent: false
    case .number(let value): value != 0
    case .text(let text), .titled(let text, _), .numbered(let text, _): !text.isEmpty
    case .flag(let value): value
    case .object: true
    case .several(let values): !values.isEmpty
    }
  }

  /// Whether `condition` holds for the value, or for one of several values.
  func isAny(_ condition: (QueryValue) -> Bool) -> Bool {
    if case .several(let values) = self { values.contains { $0.isAny(condition) } } else { condition(self) }
  }

  /// Whether `condition` holds for the text, or for one of several texts.
  func hasText(where condition: (String) -> Bool) -> Bool {
    switch self {
    case .text(let text), .numbered(let text, _): condition(text)
    case .titled(let title, let id): condition(title) || condition(id)
    case .several(let values): values.contains { $0.hasText(where: condition) }
    case .absent, .number, .flag, .object: false
    }
  }

  /// The number, a number given as text, or the first of several numbers.
  var number: Double? {
    switch self {
    case .number(let value), .numbered(_, let value): value
    case .text(let text), .titled(let text, _): Double(text)
    case .several(let values): values.lazy.compactMap(\.number).first
    case .absent, .flag, .object: nil
    }
  }
}

extension QueryValue {
  /// In one line, without units: for tables that programs read. Several values are joined by a comma and a space.
  var plainText: String {
    switch self {
    case .absent: ""
    case .number(let value): Self.plainText(of: value)
    case .text(let text), .titled(let text, _), .numbered(let text, _): text
    case .flag(let value): value ? "true" : "false"
    case .object: "{…}"
    case .several(let values): values.map(\.plainText).joined(separator: ", ")
    }
  }

  private static func plainText(of value: Double) -> String {
    if let integer = Int(exactly: value) { return String(integer) }
    return String(value)
  }

  /// The sort order: numbers before texts before other values, and missing values last.
  static func precedes(_ left: QueryValue, _ right: QueryValue) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)), (.numbered(_, let left), .numbered(_, let right)): left < right
    case (.text(let left), .text(let right)), (.titled(let left, _), .text(let right)), (.text(let left), .titled(let right, _)),
      (.titled(let left, _), .titled(let right, _)):
      left < right
    case (.flag(let left), .flag(let right)): !left && right
    case (.several(let left), .several(let right)): left.lexicographicallyPrecedes(right, by: precedes)
    case (.absent, _), (.number, _), (.text, _), (.titled, _), (.flag, _), (.object, _), (.several, _), (.numbered, _):
      left.rank < right.rank
    }
  }

  private var rank: Int {
    switch self {
    case .number: 0
    case .text, .titled, .numbered: 1
    case .flag: 2
    case .several: 3
    case .object: 4
    case .absent: 5
    }
  }
}

/// Any JSON value, kept so that it can be written again unchanged: members in order, numbers by their text.
public enum HARValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, by its text.
  case number(HARNumber)
  /// Text.
  case string(String)
  /// Values in order.
  case array([HARValue])
  /// Members in order.
  case object(HARObject)

  /// The text of a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The value of a number, rounded to the nearest `Double`.
  public var double: Double? {
    if case .number(let number) = self { number.double } else { nil }
  }

  /// The value of a number if it is a whole number in the range of `Int`.
  public var integer: Int? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  /// A truth value.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The elements of an array.
  public var array: [HARValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object.
  public var object: HARObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The member `name` of an object.
  public subscript(name: String) -> HARValue? {
    object?[name]
  }
}

/// A JSON number by its text, so that no digit of a foreign log is lost.
public struct HARNumber: Sendable, Hashable {
  /// By the grammar of RFC 8259, section 6.
  public let text: String

  /// Takes text that the parser has checked.
  init(checked text: String) {
    self.text = text
  }

  /// Takes text that is a number by the grammar of JSON, with nothing around it; `nil` for any other.
  public init?(text: String) {
    let bytes = Array(text.utf8)
    do throws(HARReadError) {
      try bytes.span.withParser(range: bytes.indices) { (parser) throws(HARReadError) in
        try parser.skipNumber()
        guard parser.position == parser.end else { throw parser.failure(.invalidNumber) }
      }
    } catch {
      return nil
    }
    self.text = text
  }

  /// A whole number.
  public init(_ value: Int) {
    text = String(value)
  }

  /// The shortest text that reads back as `value`; 0 for values that JSON does not have (infinities, NaN).
  public init(_ value: Double) {
    if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 {
      text = String(integer)
    } else {
      text = value.isFinite ? value.description : "0"
    }
  }

  /// The whole numbers that every reader of JSON takes exactly (RFC 8259, section 6). Counts and sizes of a capture lie among
  /// them: so the difference or the sum of two is an `Int`, whatever a file says.
  static let counts = -(1 << 53) + 1...(1 << 53) - 1

  static func clamped(_ count: Int) -> Int {
    min(max(count, counts.lowerBound), counts.upperBound)
  }

  /// The value, rounded to the nearest `Double`.
  public var double: Double {
    Double(text) ?? 0
  }

  /// The value of a whole number in the range of `Int`, however it is written; `nil` for any other.
  public var integer: Int? {
    Int(text) ?? Int(exactly: double)
  }
}

extension HARValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  /// A string.
  public init(stringLiteral text: String) {
    self = .string(text)
  }

  /// A whole number.
  public init(integerLiteral value: Int) {
    self = .number(HARNumber(value))
  }

  /// A truth value.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }
}

extension HARValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  public init(arrayLiteral elements: HARValue...) {
    self = .array(elements)
  }

  /// An object, its members in the order in which they are written.
  public init(dictionaryLiteral members: (String, HARValue)...) {
    self = .object(HARObject(members: members.map { HARObject.Member(name: $0.0, value: $0.1) }))
  }
}

/// The members of a JSON object in their order, including repeated names.
public struct HARObject: Sendable, Hashable {
  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name, without quotes and escapes.
    public var name: String
    /// Any value.
    public var value: HARValue

    /// Makes a member.
    public init(name: String, value: HARValue) {
      self.name = name
      self.value = value
    }
  }

  /// All members, in order.
  public var members: [Member]

  /// Makes an object.
  public init(members: [Member] = []) {
    self.members = members
  }

  /// Whether there is no member.
  public var isEmpty: Bool { members.isEmpty }

  /// The last member of that name, which JSON readers agree on. Setting replaces it in its place, or appends it.
  public subscript(name: String) -> HARValue? {
    get {
      members.last { $0.name == name }?.value
    }
    set {
      let index = members.lastIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (_, nil): members.removeAll { $0.name == name }
      }
    }
  }

  func contains(_ name: String) -> Bool {
    members.contains { $0.name == name }
  }
}

extension HARObject: ExpressibleByDictionaryLiteral {
  /// Members in the order in which they are written.
  public init(dictionaryLiteral members: (String, HARValue)...) {
    self.init(members: members.map { Member(name: $0.0, value: $0.1) })
  }
}

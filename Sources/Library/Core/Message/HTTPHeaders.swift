package import TapelineHTTP

/// Header fields in order, with their spelling and their duplicates.
///
/// `subscript`, `add` and `update` keep one field per name (case does not matter in comparisons); `append` and `values(for:)` are
/// for fields that occur more than once, such as `Set-Cookie`.
///
/// A field that may not be sent (see `HTTPHeader.isSendable`) can be added, and makes the request fail: it is neither sent nor
/// quietly dropped.
///
/// ```swift
/// var headers: HTTPHeaders = [.accept("application/json"), HTTPHeader(name: "X-Side", value: "A")]
/// headers.add(.authorization(bearerToken: token))
/// ```
public struct HTTPHeaders: Sendable {
  /// The fields from the wire, byte by byte; empty otherwise. Unchanged lines are sent from here.
  private var received: HeaderFields
  /// The current fields; `nil` as long as they are exactly those of `received`.
  private var edited: [Line]?

  private enum Line {
    /// The index in `received`.
    case received(Int)
    case own(HTTPHeader)
  }

  /// No fields.
  public init() {
    received = HeaderFields()
  }

  /// The given fields; of several with the same name, the last value takes the place of the first.
  public init(_ headers: [HTTPHeader]) {
    self.init()
    for header in headers { update(header) }
  }

  /// The given fields, sorted by name, because a dictionary has no order.
  public init(_ dictionary: [String: String]) {
    self.init(dictionary.map { HTTPHeader(name: $0.key, value: $0.value) }.sortedByName)
  }

  /// Fields that were received, or are known to be valid. Shares their storage.
  package init(_ fields: HeaderFields) {
    received = fields
  }

  /// The fields as they are sent: received lines unchanged. A line that may not be sent is left out; a request with such a line
  /// has already been refused.
  package var fields: HeaderFields {
    guard let edited else { return received }
    var fields = HeaderFields()
    for line in edited {
      switch line {
      case .received(let index): fields.append(received, at: index)
      case .own(let header) where header.isSendable: fields.append(name: header.name, value: header.value)
      case .own: break
      }
    }
    return fields
  }

  /// The fields as lines that can be changed.
  private var lines: [Line] {
    get { edited ?? received.indices.map { .received($0) } }
    set { edited = newValue }
  }

  private func header(at line: Line) -> HTTPHeader {
    switch line {
    case .received(let index): HTTPHeader(name: received.name(at: index), value: received.value(at: index))
    case .own(let header): header
    }
  }
}

// MARK: - One field per name

extension HTTPHeaders {
  /// Same as `update(name:value:)`.
  public mutating func add(name: String, value: String) {
    update(HTTPHeader(name: name, value: value))
  }

  /// Same as `update(_:)`.
  public mutating func add(_ header: HTTPHeader) {
    update(header)
  }

  /// Sets the only value of a field, with the new spelling: in the place of the first field of that name, or at the end.
  public mutating func update(name: String, value: String) {
    update(HTTPHeader(name: name, value: value))
  }

  /// Sets the only value of a field, with the new spelling: in the place of the first field of that name, or at the end.
  public mutating func update(_ header: HTTPHeader) {
    let places = indices(named: header.name)
    var lines = lines
    if let first = places.first {
      lines[first] = .own(header)
      for place in places.dropFirst().reversed() { lines.remove(at: place) }
    } else {
      lines.append(.own(header))
    }
    edited = lines
  }

  /// Removes every field called `name`.
  public mutating func remove(name: String) {
    let places = indices(named: name)
    guard !places.isEmpty else { return }
    var lines = lines
    for place in places.reversed() { lines.remove(at: place) }
    edited = lines
  }

  /// The value of the first field called `name`.
  public func value(for name: String) -> String? {
    indices(named: name).first.map { self[$0].value }
  }

  /// The value of the first field called `name`. Setting a value updates the field; setting `nil` removes it.
  public subscript(name: String) -> String? {
    get { value(for: name) }
    set {
      if let newValue {
        update(name: name, value: newValue)
      } else {
        remove(name: name)
      }
    }
  }

  /// All fields by name, for interfaces that do not allow duplicates: the values of a field that occurs more than once are joined
  /// by `, `.
  public var dictionary: [String: String] {
    var spellings: [String: String] = [:]
    var result: [String: String] = [:]
    for header in self {
      let key = header.name.lowercased()
      if let spelling = spellings[key], let value = result[spelling] {
        result[spelling] = value + ", " + header.value
      } else {
        spellings[key] = header.name
        result[header.name] = header.value
      }
    }
    return result
  }
}

// MARK: - Several fields per name

extension HTTPHeaders {
  /// Adds a field at the end and keeps other fields of that name.
  public mutating func append(name: String, value: String) {
    append(HTTPHeader(name: name, value: value))
  }

  /// Adds a field at the end and keeps other fields of that name.
  public mutating func append(_ header: HTTPHeader) {
    lines.append(.own(header))
  }

  /// The values of every field called `name`, in order.
  public func values(for name: String) -> [String] {
    edited == nil ? received.values(named: name) : indices(named: name).map { self[$0].value }
  }

  /// Whether there is a field called `name`.
  public func contains(name: String) -> Bool {
    !indices(named: name).isEmpty
  }

  private func indices(named name: String) -> [Int] {
    let key = name.lowercased()
    return indices.filter { self[$0].name.lowercased() == key }
  }
}

// MARK: - Order

extension HTTPHeaders {
  /// Sorts by name without regard to case; fields of one name keep their order.
  public mutating func sort() {
    let headers = Array(self)
    let order = headers.indices.sorted { left, right in
      (headers[left].name.lowercased(), left) < (headers[right].name.lowercased(), right)
    }
    let lines = lines
    edited = order.map { lines[$0] }
  }

  /// These fields, sorted by name without regard to case.
  public func sorted() -> HTTPHeaders {
    var headers = self
    headers.sort()
    return headers
  }
}

extension [HTTPHeader] {
  fileprivate var sortedByName: [HTTPHeader] {
    sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
  }
}

// MARK: - Conformances

extension HTTPHeaders: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { edited?.count ?? received.count }

  /// The field at a position, in the order of the message.
  public subscript(position: Int) -> HTTPHeader {
    edited.map { header(at: $0[position]) } ?? header(at: .received(position))
  }
}

extension HTTPHeaders: Hashable {
  /// Whether both have the same fields in the same order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.elementsEqual(right)
  }

  public func hash(into hasher: inout Hasher) {
    for header in self { hasher.combine(header) }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// The given fields in the order written; of several with the same name, the last value takes the place of the first.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: HTTPHeader...) {
    self.init(elements)
  }
}

extension HTTPHeaders: CustomStringConvertible {
  /// One `Name: value` per line.
  public var description: String {
    map(\.description).joined(separator: "\n")
  }
}

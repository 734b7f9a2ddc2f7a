public import FoundationEssentials

/// Writes a value of any `Encodable` type as the text of a form: `key=value` joined by `&`, percent-encoded.
///
/// The value must encode as an object; arrays and objects in it become keys by `arrayEncoding` and `keyPathEncoding`.
public struct URLEncodedFormEncoder: Sendable {
  /// Whether pairs are sorted by key, so that equal values give equal text. Otherwise they keep the order in which the value
  /// encodes them.
  public let alphabetizeKeyValuePairs: Bool
  /// How the elements of an array are named.
  public let arrayEncoding: ArrayEncoding
  /// How a Boolean is written.
  public let boolEncoding: BoolEncoding
  /// How `Data` is written.
  public let dataEncoding: DataEncoding
  /// How a `Date` is written.
  public let dateEncoding: DateEncoding
  /// How the names of members are written.
  public let keyEncoding: KeyEncoding
  /// How the member of a member is named.
  public let keyPathEncoding: KeyPathEncoding
  /// How a `nil` is written.
  public let nilEncoding: NilEncoding
  /// How a space is written.
  public let spaceEncoding: SpaceEncoding
  /// The characters that are not percent-encoded.
  public let allowedCharacters: AllowedCharacters

  /// An encoder; the defaults are what most servers expect.
  ///
  /// - Parameters:
  ///   - alphabetizeKeyValuePairs: whether the pairs are sorted; otherwise they keep the order of encoding.
  ///   - arrayEncoding: how the elements of an array are named.
  ///   - boolEncoding: how a `Bool` is written.
  ///   - dataEncoding: how `Data` is written.
  ///   - dateEncoding: how a `Date` is written.
  ///   - keyEncoding: how the names of members are written.
  ///   - keyPathEncoding: how the member of a member is named.
  ///   - nilEncoding: how a `nil` is written.
  ///   - spaceEncoding: how a space is written.
  ///   - allowedCharacters: the characters that are not percent-encoded.
  public init(
    alphabetizeKeyValuePairs: Bool = true, arrayEncoding: ArrayEncoding = .brackets, boolEncoding: BoolEncoding = .numeric,
    dataEncoding: DataEncoding = .base64, dateEncoding: DateEncoding = .deferredToDate,
    keyEncoding: KeyEncoding = .useDefaultKeys, keyPathEncoding: KeyPathEncoding = .brackets, nilEncoding: NilEncoding = .dropKey,
    spaceEncoding: SpaceEncoding = .percentEscaped, allowedCharacters: AllowedCharacters = .urlQuery
  ) {
    self.alphabetizeKeyValuePairs = alphabetizeKeyValuePairs
    self.arrayEncoding = arrayEncoding
    self.boolEncoding = boolEncoding
    self.dataEncoding = dataEncoding
    self.dateEncoding = dateEncoding
    self.keyEncoding = keyEncoding
    self.keyPathEncoding = keyPathEncoding
    self.nilEncoding = nilEncoding
    self.spaceEncoding = spaceEncoding
    self.allowedCharacters = allowedCharacters
  }

  /// A value that cannot be written as a form.
  public enum Error: Swift.Error, Sendable, Hashable, CustomStringConvertible {
    /// The value does not encode as an object: a form needs names.
    case invalidRootObject(String)

    public var description: String {
      switch self {
      case .invalidRootObject(let kind): "a form is written of an object with named members, not of \(kind)"
      }
    }
  }

  /// The text of `value`.
  public func encode(_ value: any Encodable) throws -> String {
    let root = try component(for: value)
    switch root {
    case .object(let members): return text(of: members)
    case .none, .text: throw Error.invalidRootObject("a single value")
    case .array: throw Error.invalidRootObject("an array")
    }
  }

  /// The text of `value` in UTF-8.
  public func encode(_ value: any Encodable) throws -> Data {
    let text: String = try encode(value)
    return Data(text.utf8)
  }

  /// The component that `value` encodes as.
  func component(for value: any Encodable) throws -> FormComponent {
    let node = FormNode()
    try node.encode(value, with: self, codingPath: [])
    return node.component
  }

  // MARK: Text

  private func text(of members: [FormComponent.Member]) -> String {
    let all = members.flatMap { pairs(of: $0.value, key: keyEncoding.encode($0.name)) }
    // As they are written, up to the sign: `a[b]=` comes before `a=`.
    let written = all.map { (key: "\(escape($0.key))=", value: escape($0.value)) }
    let sorted = alphabetizeKeyValuePairs ? written.stablySortedByKey : written
    return sorted.map { $0.key + $0.value }.joined(separator: "&")
  }

  private func pairs(of component: FormComponent, key: String) -> [(key: String, value: String)] {
    switch component {
    case .none:
      nilEncoding.encode().map { [(key, $0)] } ?? []
    case .text(let text):
      [(key, text)]
    case .array(let elements):
      elements.enumerated().flatMap { index, element in
        pairs(of: element, key: arrayEncoding.encode(key: key, atIndex: index))
      }
    case .object(let members):
      members.flatMap { pairs(of: $0.value, key: key + keyPathEncoding.encode(keyEncoding.encode($0.name))) }
    }
  }

  private func escape(_ text: String) -> String {
    spaceEncoding.encode(text, allowed: allowedCharacters)
  }
}

extension [(key: String, value: String)] {
  /// Sorted by key. Pairs with the same key keep their order, which is the order of an array's elements.
  fileprivate var stablySortedByKey: Self {
    enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(\.element)
  }
}

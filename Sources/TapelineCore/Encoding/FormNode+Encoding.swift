internal import FoundationEssentials

extension FormNode {
  /// Encodes `value` into this place. Dates, data and the like are written as the options say, at any depth.
  func encode(_ value: any Encodable, with options: URLEncodedFormEncoder, codingPath: [any CodingKey]) throws {
    switch value {
    case let date as Date: try encode(date, with: options, codingPath: codingPath)
    case let data as Data: try encode(data, with: options, codingPath: codingPath)
    case let decimal as Decimal: set("\(decimal)")
    case let url as URL: set(url.absoluteString)
    default: try value.encode(to: FormValueEncoder(node: self, options: options, codingPath: codingPath))
    }
  }

  func encode(_ value: Bool, with options: URLEncodedFormEncoder) {
    set(options.boolEncoding.encode(value))
  }

  private func encode(_ date: Date, with options: URLEncodedFormEncoder, codingPath: [any CodingKey]) throws {
    switch options.dateEncoding {
    case .deferredToDate: try date.encode(to: FormValueEncoder(node: self, options: options, codingPath: codingPath))
    case .secondsSince1970: set("\(date.timeIntervalSince1970)")
    case .millisecondsSince1970: set("\(date.timeIntervalSince1970 * 1_000)")
    case .iso8601: set(date.formatted(.iso8601))
    case .custom(let encoding): set(try encoding(date))
    }
  }

  private func encode(_ data: Data, with options: URLEncodedFormEncoder, codingPath: [any CodingKey]) throws {
    switch options.dataEncoding {
    case .deferredToData: try data.encode(to: FormValueEncoder(node: self, options: options, codingPath: codingPath))
    case .base64: set(data.base64EncodedString())
    case .custom(let encoding): set(try encoding(data))
    }
  }
}

/// Lets a value encode itself into one place.
struct FormValueEncoder: Encoder {
  let node: FormNode
  let options: URLEncodedFormEncoder
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginObject()
    return KeyedEncodingContainer(FormKeyedContainer<Key>(node: node, options: options, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return FormUnkeyedContainer(node: node, options: options, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    FormSingleValueContainer(node: node, options: options, codingPath: codingPath)
  }
}

/// A coding key for a base class or for the index of an element.
struct FormKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }

  static let `super` = FormKey(stringValue: "super")
}

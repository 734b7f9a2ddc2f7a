internal import FoundationEssentials

/// The structure that a value encodes as, before it becomes text.
enum FormComponent: Sendable {
  struct Member: Sendable {
    let name: String
    let value: FormComponent
  }

  case none
  case text(String)
  case array([FormComponent])
  /// In the order of encoding.
  case object([Member])
}

/// One place in a `FormComponent` while a value is being encoded. Containers keep the node and write into it.
final class FormNode {
  private enum Content {
    case nothing
    case none
    case text(String)
    case array([FormNode])
    case object([(name: String, node: FormNode)])
  }

  private var content = Content.nothing

  /// A place that nothing was written to is an object without members, like an encoded `struct Empty: Encodable`.
  var component: FormComponent {
    switch content {
    case .nothing: .object([])
    case .none: .none
    case .text(let text): .text(text)
    case .array(let nodes): .array(nodes.map(\.component))
    case .object(let members): .object(members.map { FormComponent.Member(name: $0.name, value: $0.node.component) })
    }
  }

  var elementCount: Int {
    if case .array(let nodes) = content { nodes.count } else { 0 }
  }

  func setNone() { content = .none }

  func set(_ text: String) { content = .text(text) }

  func beginArray() {
    if !hasParts { content = .array([]) }
  }

  func beginObject() {
    if !hasParts { content = .object([]) }
  }

  /// A container's value stays until another one writes something else.
  private var hasParts: Bool {
    switch content {
    case .array, .object: true
    case .nothing, .none, .text: false
    }
  }

  func appendElement() -> FormNode {
    var nodes: [FormNode] = []
    if case .array(let existing) = content { nodes = existing }
    let node = FormNode()
    content = .array(nodes + [node])
    return node
  }

  /// The place of a member: the same node on every call.
  func member(_ name: String) -> FormNode {
    var members: [(name: String, node: FormNode)] = []
    if case .object(let existing) = content { members = existing }
    if let existing = members.first(where: { $0.name == name }) { return existing.node }
    let node = FormNode()
    content = .object(members + [(name, node)])
    return node
  }

  // MARK: Encoding

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

/// A coding key for the index of an element.
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
}

/// An `Optional` of any type: finds a `nil` that is hidden in an `Any`.
protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  var wrapped: Any? { self }
}

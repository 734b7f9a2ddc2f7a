internal import TapelineHAR

/// The messages, enumerations and methods of a descriptor set, as `protoc --include_imports --descriptor_set_out` writes it.
package struct ProtobufSchema: Sendable {
  struct Field: Sendable {
    /// In JSON.
    let name: String
    let type: ProtobufType
    /// The full name of a message or an enumeration.
    let typeName: String
    let isRepeated: Bool
    /// Whether its default value can be told from no value.
    let hasPresence: Bool
    let oneof: Int?
  }

  struct Message: Sendable {
    fileprivate(set) var fields: [UInt64: Field] = [:]
    fileprivate(set) var isMapEntry = false
  }

  private(set) var messages: [String: Message] = [:]
  private(set) var enums: [String: [Int32: String]] = [:]
  /// The messages of each method, by `package.Service/Method`.
  private(set) var methods: [String: (request: String, response: String)] = [:]

  private static let depthLimit = 64

  /// Takes a `FileDescriptorSet`; `nil` if it is none.
  package init?(_ bytes: [UInt8]) {
    guard let set = Descriptor(bytes[...]) else { return nil }
    for file in set.all(1) {
      let scope = file.text(2) ?? ""
      for message in file.all(4) { add(message, in: scope, isProto3: file.text(12) == "proto3") }
      for one in file.all(5) { add(enumeration: one, in: scope) }
      for service in file.all(6) {
        let name = Self.name(service.text(1), in: scope)
        for method in service.all(2) {
          methods["\(name)/\(method.text(1) ?? "")"] = (Self.absolute(method.text(2)), Self.absolute(method.text(3)))
        }
      }
    }
    if messages.isEmpty, enums.isEmpty, methods.isEmpty { return nil }
  }

  private static func name(_ name: String?, in scope: String) -> String { scope.isEmpty ? name ?? "" : "\(scope).\(name ?? "")" }

  /// In descriptors, a full name begins with a dot.
  private static func absolute(_ name: String?) -> String { String((name ?? "").drop { $0 == "." }) }

  private mutating func add(_ descriptor: Descriptor, in scope: String, isProto3: Bool, depth: Int = 0) {
    guard depth < Self.depthLimit else { return }
    let name = Self.name(descriptor.text(1), in: scope)
    var message = Message()
    message.isMapEntry = descriptor.all(7).contains { $0.number(7) == 1 }
    for field in descriptor.all(2) {
      guard let number = field.number(3), let type = field.number(5).flatMap({ ProtobufType(rawValue: $0) }) else { continue }
      let oneof = field.number(9).map { Int(truncatingIfNeeded: $0) }
      message.fields[number] = Field(
        name: field.text(10) ?? field.text(1) ?? "", type: type, typeName: Self.absolute(field.text(6)),
        isRepeated: field.number(4) == 3, hasPresence: !isProto3 || oneof != nil || type == .message, oneof: oneof)
    }
    messages[name] = message
    for nested in descriptor.all(3) { add(nested, in: name, isProto3: isProto3, depth: depth + 1) }
    for nested in descriptor.all(4) { add(enumeration: nested, in: name) }
  }

  private mutating func add(enumeration descriptor: Descriptor, in scope: String) {
    var names: [Int32: String] = [:]
    for value in descriptor.all(2) {
      // The first of several names of a number is written.
      let number = Int32(truncatingIfNeeded: value.number(2) ?? 0)
      names[number] = names[number] ?? value.text(1)
    }
    enums[Self.name(descriptor.text(1), in: scope)] = names
  }
}

/// The fields of a message of descriptor.proto.
private struct Descriptor {
  private var fields: [UInt64: [ProtobufReader.Value]] = [:]

  /// `nil` if the bytes are not a message.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = ProtobufReader(bytes)
    while let (field, value) = reader.next() { fields[field, default: []].append(value) }
    guard reader.rest.isEmpty else { return nil }
  }

  func number(_ field: UInt64) -> UInt64? { if case .varint(let number)? = fields[field]?.last { number } else { nil } }

  func text(_ field: UInt64) -> String? {
    if case .delimited(let bytes)? = fields[field]?.last { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  func all(_ field: UInt64) -> [Descriptor] {
    (fields[field] ?? []).compactMap { if case .delimited(let bytes) = $0 { Descriptor(bytes) } else { nil } }
  }
}

/// The types of fields (descriptor.proto, `FieldDescriptorProto.Type`).
enum ProtobufType: UInt64, Sendable {
  case double = 1
  case float, int64, uint64, int32, fixed64, fixed32, bool, string, group, message, bytes, uint32, `enum`, sfixed32, sfixed64
  case sint32, sint64
}

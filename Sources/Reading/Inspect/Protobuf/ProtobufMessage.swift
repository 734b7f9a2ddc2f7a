internal import TapelineBase
package import TapelineHAR

/// A message of Protocol Buffers for people, in the JSON of proto3. Fields that no schema has are shown, too: `[5]`, in each
/// reading that fits.
package struct ProtobufMessage {
  private let schema: ProtobufSchema?

  /// Messages within messages beyond this are shown as bytes.
  private static let depthLimit = 64

  package init(_ schema: ProtobufSchema?) {
    self.schema = schema
  }

  /// - Parameter type: the full name of the message; empty if nobody knows it.
  package func value(of bytes: ArraySlice<UInt8>, as type: String, depth: Int = 0) -> HARValue {
    let message = schema?.messages[type]
    var members: [HARObject.Member] = []
    func add(_ name: String, _ value: HARValue) { members.append(HARObject.Member(name: name, value: value)) }
    var held: [UInt64: [ProtobufReader.Value]] = [:]
    var order: [UInt64] = []
    var reader = ProtobufReader(bytes)
    while let (number, value) = reader.next() {
      // The last member of a oneof counts.
      if let message, let oneof = message.fields[number]?.oneof {
        for (other, field) in message.fields where other != number && field.oneof == oneof { held[other] = nil }
      }
      if held[number] == nil { order.append(number) }
      held[number, default: []].append(value)
    }
    for number in order {
      guard let values = held.removeValue(forKey: number) else { continue }
      if let field = message?.fields[number] {
        let (known, others) = self.values(of: values, field, depth: depth)
        if let value = shown(known, field) { add(field.name, value) }
        if !others.isEmpty { add("[\(number)]", raw(others, depth: depth)) }
      } else {
        add("[\(number)]", raw(values, depth: depth))
      }
    }
    if !reader.rest.isEmpty { add("[unread]", .string(HexDump.figures(reader.rest))) }
    return .object(HARObject(members: members))
  }

  // MARK: By a schema

  /// The values of a field, and those that are laid out otherwise than its type.
  private func values(
    of values: [ProtobufReader.Value], _ field: ProtobufSchema.Field, depth: Int
  ) -> (known: [HARValue], others: [ProtobufReader.Value]) {
    var (known, others): ([HARValue], [ProtobufReader.Value]) = ([], [])
    // A message that comes in parts is one message: the parts are merged.
    var merged: ArraySlice<UInt8>?
    for value in values {
      switch (value, field.type) {
      case (.delimited(let bytes), .message) where field.isRepeated: known.append(message(bytes, field, depth: depth))
      case (.delimited(let bytes), .message):
        if merged == nil { merged = [] }
        merged?.append(contentsOf: bytes)
      case (.delimited(let bytes), .string): known.append(.string(String(decoding: bytes, as: UTF8.self)))
      case (.delimited(let bytes), .bytes): known.append(.string(Base64.encode(Array(bytes))))
      case (.delimited(let bytes), let type):
        var reader = ProtobufReader(bytes)
        var packed: [HARValue] = []
        while field.isRepeated, let wireType = type.wireType, !reader.rest.isEmpty, let number = reader.value(wireType) {
          packed += scalar(number, field).map { [$0] } ?? []
        }
        if reader.rest.isEmpty, type.wireType != nil, field.isRepeated { known += packed } else { others.append(value) }
      case (.varint, _), (.fixed64, _), (.fixed32, _):
        if let number = scalar(value, field) { known.append(number) } else { others.append(value) }
      }
    }
    if let merged { known.append(message(merged, field, depth: depth)) }
    return (known, others)
  }

  private func message(_ bytes: ArraySlice<UInt8>, _ field: ProtobufSchema.Field, depth: Int) -> HARValue {
    guard depth < Self.depthLimit else { return .string(HexDump.figures(bytes)) }
    return value(of: bytes, as: field.typeName, depth: depth + 1)
  }

  /// `nil` for a field that is as if it were not there.
  private func shown(_ values: [HARValue], _ field: ProtobufSchema.Field) -> HARValue? {
    if field.isRepeated, schema?.messages[field.typeName]?.isMapEntry == true { return map(values, field) }
    if field.isRepeated { return values.isEmpty ? nil : .array(values) }
    guard let value = values.last else { return nil }
    return field.hasPresence || value != standard(field) ? value : nil
  }

  private func map(_ entries: [HARValue], _ field: ProtobufSchema.Field) -> HARValue? {
    let fields = schema?.messages[field.typeName]?.fields
    guard let keyField = fields?[1], let valueField = fields?[2] else { return nil }
    // The last value of a key counts.
    var values: [String: HARValue] = [:]
    var keys: [String] = []
    for entry in entries {
      let key = QueryValue(entry[keyField.name] ?? standard(keyField), at: []).plainText
      if values.updateValue(entry[valueField.name] ?? standard(valueField), forKey: key) == nil { keys.append(key) }
    }
    return keys.isEmpty ? nil : .object(HARObject(members: keys.map { .init(name: $0, value: values[$0] ?? .null) }))
  }

  private func standard(_ field: ProtobufSchema.Field) -> HARValue {
    switch field.type {
    case .string, .bytes: ""
    case .message, .group: [:]
    case .bool: false
    case .double, .float, .int64, .uint64, .int32, .fixed64, .fixed32, .uint32, .enum, .sfixed32, .sfixed64, .sint32, .sint64:
      scalar(field.type.wireType == .varint ? .varint(0) : field.type.wireType == .fixed64 ? .fixed64(0) : .fixed32(0), field)
        ?? 0
    }
  }

  /// `nil` for a number of another layout.
  private func scalar(_ value: ProtobufReader.Value, _ field: ProtobufSchema.Field) -> HARValue? {
    switch (field.type, value) {
    case (.int64, .varint(let bits)), (.sfixed64, .fixed64(let bits)): .string(String(Int64(bitPattern: bits)))
    case (.uint64, .varint(let bits)), (.fixed64, .fixed64(let bits)): .string(String(bits))
    case (.sint64, .varint(let bits)): .string(String(Self.zigzag(bits)))
    case (.int32, .varint(let bits)): .number(HARNumber(Int(Int32(truncatingIfNeeded: bits))))
    case (.uint32, .varint(let bits)): .number(HARNumber(Int(UInt32(truncatingIfNeeded: bits))))
    case (.sint32, .varint(let bits)): .number(HARNumber(Int(Self.zigzag(bits & 0xFFFF_FFFF))))
    case (.fixed32, .fixed32(let bits)): .number(HARNumber(Int(bits)))
    case (.sfixed32, .fixed32(let bits)): .number(HARNumber(Int(Int32(bitPattern: bits))))
    case (.bool, .varint(let bits)): .bool(bits != 0)
    case (.double, .fixed64(let bits)): Self.number(Double(bitPattern: bits), Double(bitPattern: bits).description)
    case (.float, .fixed32(let bits)): Self.number(Double(Float(bitPattern: bits)), Float(bitPattern: bits).description)
    case (.enum, .varint(let bits)):
      schema?.enums[field.typeName]?[Int32(truncatingIfNeeded: bits)].map(HARValue.string)
        ?? HARValue.number(HARNumber(Int(Int32(truncatingIfNeeded: bits))))
    case (_, .varint), (_, .fixed64), (_, .fixed32), (_, .delimited): nil
    }
  }

  private static func zigzag(_ bits: UInt64) -> Int64 { Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1) }

  /// JSON has no infinities and no NaN: proto3 spells them as texts.
  private static func number(_ value: Double, _ text: String) -> HARValue {
    guard value.isFinite else { return .string(value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity") }
    return HARNumber(text: text).map { .number($0) } ?? .string(text)
  }

  // MARK: Without a schema

  private func raw(_ values: [ProtobufReader.Value], depth: Int) -> HARValue {
    let readings = values.map { raw($0, depth: depth) }
    return readings.count == 1 ? readings[0] : .array(readings)
  }

  /// A value in each reading that fits. Bytes are text of one line, else a message if all of them are, else text, else bytes.
  private func raw(_ value: ProtobufReader.Value, depth: Int) -> HARValue {
    switch value {
    case .varint(let bits):
      let signed = bits > UInt64(Int64.max) ? ["int \(Int64(bitPattern: bits))"] : []
      return .string("\(bits) (\((signed + ["sint \(Self.zigzag(bits))"]).joined(separator: ", ")))")
    case .fixed64(let bits): return .string("\(bits) (double \(Double(bitPattern: bits)))")
    case .fixed32(let bits): return .string("\(bits) (float \(Float(bitPattern: bits)))")
    case .delimited(let bytes):
      let text = String(validating: bytes, as: UTF8.self)
      if let text, !text.unicodeScalars.contains(where: \.isControl) { return .string(text) }
      if depth < Self.depthLimit, Self.isMessage(bytes) { return self.value(of: bytes, as: "", depth: depth + 1) }
      if let text, !text.unicodeScalars.contains(where: \.isHiddenControl) { return .string(text) }
      return .string(HexDump.figures(bytes))
    }
  }

  private static func isMessage(_ bytes: ArraySlice<UInt8>) -> Bool {
    var reader = ProtobufReader(bytes)
    while reader.next() != nil {}
    return reader.rest.isEmpty
  }
}

extension ProtobufType {
  /// How a number is laid out; `nil` for others.
  fileprivate var wireType: ProtobufWireType? {
    switch self {
    case .int64, .uint64, .int32, .bool, .uint32, .enum, .sint32, .sint64: .varint
    case .double, .fixed64, .sfixed64: .fixed64
    case .float, .fixed32, .sfixed32: .fixed32
    case .string, .group, .message, .bytes: nil
    }
  }
}

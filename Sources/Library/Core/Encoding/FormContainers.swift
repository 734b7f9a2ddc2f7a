/// Members of an object.
struct FormKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: FormNode
  let options: URLEncodedFormEncoder
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) {
    node.member(key.stringValue).setNone()
  }

  func encode(_ value: Bool, forKey key: Key) {
    node.member(key.stringValue).encode(value, with: options)
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try node.member(key.stringValue).encode(value, with: options, codingPath: codingPath + [key])
  }

  // An optional that is `nil` is written too, so that `nilEncoding` can decide about it. The standard library would leave it
  // out.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
  func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }

  private func encodeOptional(_ value: (some Encodable)?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let inner = node.member(key.stringValue)
    inner.beginObject()
    return KeyedEncodingContainer(
      FormKeyedContainer<NestedKey>(node: inner, options: options, codingPath: codingPath + [key]))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let inner = node.member(key.stringValue)
    inner.beginArray()
    return FormUnkeyedContainer(node: inner, options: options, codingPath: codingPath + [key])
  }

  func superEncoder() -> any Encoder {
    // A form has no place for a base class of its own: its members stand beside those of the subclass.
    FormValueEncoder(node: node, options: options, codingPath: codingPath)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    FormValueEncoder(node: node.member(key.stringValue), options: options, codingPath: codingPath + [key])
  }
}

/// Elements of an array.
struct FormUnkeyedContainer: UnkeyedEncodingContainer {
  let node: FormNode
  let options: URLEncodedFormEncoder
  let codingPath: [any CodingKey]

  var count: Int { node.elementCount }

  private var nextPath: [any CodingKey] { codingPath + [FormKey(intValue: count)] }

  func encodeNil() {
    node.appendElement().setNone()
  }

  func encode(_ value: Bool) {
    node.appendElement().encode(value, with: options)
  }

  func encode(_ value: some Encodable) throws {
    let path = nextPath
    try node.appendElement().encode(value, with: options, codingPath: path)
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    let path = nextPath
    let inner = node.appendElement()
    inner.beginObject()
    return KeyedEncodingContainer(FormKeyedContainer<NestedKey>(node: inner, options: options, codingPath: path))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let path = nextPath
    let inner = node.appendElement()
    inner.beginArray()
    return FormUnkeyedContainer(node: inner, options: options, codingPath: path)
  }

  func superEncoder() -> any Encoder {
    // As that of an object.
    FormValueEncoder(node: node, options: options, codingPath: codingPath)
  }
}

/// A value that is neither object nor array: its text.
struct FormSingleValueContainer: SingleValueEncodingContainer {
  let node: FormNode
  let options: URLEncodedFormEncoder
  let codingPath: [any CodingKey]

  func encodeNil() { node.setNone() }
  func encode(_ value: Bool) { node.encode(value, with: options) }
  func encode(_ value: String) { node.set(value) }
  func encode(_ value: Double) { node.set("\(value)") }
  func encode(_ value: Float) { node.set("\(value)") }
  func encode(_ value: Int) { node.set("\(value)") }
  func encode(_ value: Int8) { node.set("\(value)") }
  func encode(_ value: Int16) { node.set("\(value)") }
  func encode(_ value: Int32) { node.set("\(value)") }
  func encode(_ value: Int64) { node.set("\(value)") }
  func encode(_ value: UInt) { node.set("\(value)") }
  func encode(_ value: UInt8) { node.set("\(value)") }
  func encode(_ value: UInt16) { node.set("\(value)") }
  func encode(_ value: UInt32) { node.set("\(value)") }
  func encode(_ value: UInt64) { node.set("\(value)") }

  func encode(_ value: some Encodable) throws {
    try node.encode(value, with: options, codingPath: codingPath)
  }
}

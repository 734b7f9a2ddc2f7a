extension JSONWriter {
  /// Appends any JSON value.
  public mutating func append(value: HARValue) {
    switch value {
    case .null: append(json: "null")
    case .bool(true): append(json: "true")
    case .bool(false): append(json: "false")
    case .number(let number): append(plain: number.text)
    case .string(let text): append(string: text)
    case .array(let elements):
      append(byte: UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { append(byte: UInt8(ascii: ",")) }
        append(value: element)
      }
      append(byte: UInt8(ascii: "]"))
    case .object(let object): append(object: object)
    }
  }

  /// Appends an object, its members in order.
  public mutating func append(object: HARObject) {
    append(byte: UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { append(byte: UInt8(ascii: ",")) }
      append(string: member.name)
      append(byte: UInt8(ascii: ":"))
      append(value: member.value)
    }
    append(byte: UInt8(ascii: "}"))
  }
}

extension JSONWriter {
  mutating func append(record: some HARRecord) {
    append(byte: UInt8(ascii: "{"))
    record.write(to: &self)
    for member in record.custom.members {
      separate()
      append(string: member.name)
      append(byte: UInt8(ascii: ":"))
      append(value: member.value)
    }
    append(byte: UInt8(ascii: "}"))
  }

  mutating func append(records: [some HARRecord]) {
    append(byte: UInt8(ascii: "["))
    for (index, record) in records.enumerated() {
      if index > 0 { append(byte: UInt8(ascii: ",")) }
      append(record: record)
    }
    append(byte: UInt8(ascii: "]"))
  }

  mutating func append(_ name: StaticString, _ text: String?, except custom: HARObject) {
    guard let text, begin(name, custom) else { return }
    append(string: text)
  }

  mutating func append(_ name: StaticString, _ number: Int?, except custom: HARObject) {
    guard let number, begin(name, custom) else { return }
    append(integer: number)
  }

  mutating func append(_ name: StaticString, _ number: Double?, except custom: HARObject) {
    guard let number, begin(name, custom) else { return }
    append(number: number)
  }

  mutating func append(_ name: StaticString, _ value: Bool?, except custom: HARObject) {
    guard let value, begin(name, custom) else { return }
    append(value: .bool(value))
  }

  mutating func append(_ name: StaticString, _ record: (some HARRecord)?, except custom: HARObject) {
    guard let record, begin(name, custom) else { return }
    append(record: record)
  }

  mutating func append(_ name: StaticString, _ records: [some HARRecord]?, except custom: HARObject) {
    guard let records, begin(name, custom) else { return }
    append(records: records)
  }

  /// Writes the name of a member, unless `custom` has a value for that name.
  private mutating func begin(_ name: StaticString, _ custom: HARObject) -> Bool {
    guard custom.isEmpty || !custom.contains(name.description) else { return false }
    separate()
    append(byte: UInt8(ascii: "\""))
    append(json: name)
    append(json: "\":")
    return true
  }

  /// A comma, unless the object has only just begun: no value ends with an opening brace.
  private mutating func separate() {
    if !ends(with: UInt8(ascii: "{")) { append(byte: UInt8(ascii: ",")) }
  }
}

/// A HAR object: members that the format defines, and any others.
///
/// A known member of the wrong type is kept among the others under its own name and written again as it came. The
/// typed property has what can be made of it, or its default. So reading refuses nothing that is JSON, and a round trip
/// loses nothing.
protocol HARRecord {
  /// With every required member empty or zero.
  init()
  /// The members that the format does not define, or defines with another type.
  var custom: HARObject { get set }
  /// Required members that the log lacks, below this record. They are not written.
  var lacking: [HARPath] { get }
  /// Takes the value of member `name` if it is known and of its type; otherwise takes nothing and returns `false`.
  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool
  /// Writes the known members, except those in `custom`.
  func write(to writer: inout JSONWriter)
}

extension HARRecord {
  var lacking: [HARPath] { [] }
}

extension JSONParser {
  /// Takes an object; `nil` if something else comes.
  mutating func readRecord<Record: HARRecord>() throws(HARReadError) -> Record? {
    guard try peek() == UInt8(ascii: "{") else { return nil }
    var new = Record()
    try readObject { (parser, name) throws(HARReadError) in
      if try new.read(name, from: &parser) { return }
      if name.isRead(in: parser.parts) {
        new.custom.members.append(HARObject.Member(name: name.text, value: try parser.readValue()))
      } else {
        try parser.skipValue()
      }
    }
    return new
  }

  /// Takes an object; `false` if something else comes.
  mutating func read<Record: HARRecord>(_ record: inout Record) throws(HARReadError) -> Bool {
    guard let new: Record = try readRecord() else { return false }
    record = new
    return true
  }

  mutating func read<Record: HARRecord>(_ record: inout Record?) throws(HARReadError) -> Bool {
    guard let new: Record = try readRecord() else { return false }
    record = new
    return true
  }

  /// Takes an array of objects; `false`, with nothing taken, if the value is not an array or holds anything else.
  mutating func read<Record: HARRecord>(_ records: inout [Record]) throws(HARReadError) -> Bool {
    guard try peek() == UInt8(ascii: "[") else { return false }
    let start = self
    var new: [Record] = []
    var isUniform = true
    try readArray { (parser) throws(HARReadError) in
      if isUniform, let record: Record = try parser.readRecord() {
        new.append(record)
      } else {
        isUniform = false
        try parser.skipValue()
      }
    }
    guard isUniform else {
      restore(to: start)
      return false
    }
    records = new
    return true
  }

  mutating func read<Record: HARRecord>(_ records: inout [Record]?) throws(HARReadError) -> Bool {
    var new: [Record] = []
    guard try read(&new) else { return false }
    records = new
    return true
  }

  /// As `read`, or skips the value if such parts are not wanted and it has none of the hints.
  mutating func read<Record: HARRecord>(
    _ records: inout [Record], in part: HAREntryParts, hints: [TextHint] = []
  ) throws(HARReadError) -> Bool {
    if parts.contains(part) { return try read(&records) }
    let start = self
    try skipValue()
    guard has(hints, in: start.position..<position) else { return true }
    restore(to: start)
    return try read(&records)
  }

  mutating func read<Record: HARRecord>(
    _ records: inout [Record]?, in part: HAREntryParts
  ) throws(HARReadError) -> Bool {
    if parts.contains(part) { return try read(&records) }
    try skipValue()
    return true
  }

  mutating func read(_ text: inout String?, in part: HAREntryParts) throws(HARReadError) -> Bool {
    if parts.contains(part) { return try read(&text) }
    try skipValue()
    return true
  }

  mutating func read(_ text: inout String) throws(HARReadError) -> Bool {
    let start = self
    switch try peek() {
    case UInt8(ascii: "\""):
      text = try readString()
      return true
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      // A port or a version, written as a number.
      text = try readNumber()
      restore(to: start)
      return false
    default:
      return false
    }
  }

  mutating func read(_ text: inout String?) throws(HARReadError) -> Bool {
    var new = text ?? ""
    let isText = try read(&new)
    if isText || !new.isEmpty { text = new }
    return isText
  }

  mutating func read(_ number: inout Double) throws(HARReadError) -> Bool {
    if try isNumberNext() {
      let start = self
      number = try readDouble()
      if number.magnitude < .greatestFiniteMagnitude { return true }
      // It is written again as it came.
      restore(to: start)
      return false
    }
    if let quoted = try quotedNumber() { number = quoted.double }
    return false
  }

  mutating func read(_ number: inout Double?) throws(HARReadError) -> Bool {
    // If `read` returns `false` and `new` is still not a number, none was read.
    var new = Double.nan
    let isNumber = try read(&new)
    if !new.isNaN { number = new }
    return isNumber
  }

  mutating func read(_ number: inout Int) throws(HARReadError) -> Bool {
    guard try isNumberNext() else {
      if let quoted = try quotedNumber()?.integer { number = HARNumber.clamped(quoted) }
      return false
    }
    let start = self
    if let integer = try readInteger() {
      number = HARNumber.clamped(integer)
      if number == integer { return true }
    } else {
      restore(to: start)
      let fraction = try readDouble()
      if fraction.magnitude < 1e15 { number = Int(fraction.rounded()) }
    }
    restore(to: start)
    return false
  }

  mutating func read(_ number: inout Int?) throws(HARReadError) -> Bool {
    // If `read` returns `false` and `new` is still `Int.min`, no number was read.
    var new = Int.min
    let isInteger = try read(&new)
    if isInteger || new != Int.min { number = new }
    return isInteger
  }

  mutating func read(_ value: inout Bool?) throws(HARReadError) -> Bool {
    switch try peek() {
    case UInt8(ascii: "t"):
      try expectWord("true")
      value = true
      return true
    case UInt8(ascii: "f"):
      try expectWord("false")
      value = false
      return true
    default:
      return false
    }
  }

  @inline(__always)
  private mutating func isNumberNext() throws(HARReadError) -> Bool {
    switch try peek() {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  /// The number in a string, without taking the string.
  private mutating func quotedNumber() throws(HARReadError) -> HARNumber? {
    guard try peek() == UInt8(ascii: "\"") else { return nil }
    let start = self
    let text = try readString()
    restore(to: start)
    return HARNumber(text: text)
  }
}

extension JSONWriter {
  mutating func append(record: some HARRecord) {
    guard record.lacking.isEmpty else { return append(incomplete: record) }
    append(whole: record)
  }

  /// Invents nothing: what the log did not have is left out again.
  private mutating func append(incomplete record: some HARRecord) {
    var whole = JSONWriter()
    whole.append(whole: record)
    do throws(HARReadError) {
      var value = try HARValue(odd: whole.bytes.span)
      for path in record.lacking { value.remove(at: path.steps[...]) }
      append(value: value)
    } catch {
      preconditionFailure("what was written as JSON can be read as JSON")
    }
  }

  private mutating func append(whole record: some HARRecord) {
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

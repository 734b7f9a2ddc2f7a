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
  /// Takes the value of member `name` if it is known and of its type; otherwise takes nothing and returns `false`.
  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool
  /// Writes the known members, except those in `custom`.
  func write(to writer: inout JSONWriter)
}

extension JSONParser {
  /// Takes an object; `false` if something else comes.
  mutating func read<Record: HARRecord>(_ record: inout Record) throws(HARReadError) -> Bool {
    guard try peek() == UInt8(ascii: "{") else { return false }
    var new = Record()
    try readObject { (parser, name) throws(HARReadError) in
      if try new.read(name, from: &parser) { return }
      if parser.parts.contains(.custom) || name.isReadAlways {
        new.custom.members.append(HARObject.Member(name: name.text, value: try parser.readValue()))
      } else {
        try parser.skipValue()
      }
    }
    record = new
    return true
  }

  mutating func read<Record: HARRecord>(_ record: inout Record?) throws(HARReadError) -> Bool {
    var new = Record()
    guard try read(&new) else { return false }
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
      var record = Record()
      if isUniform, try parser.read(&record) {
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

  /// As `read`, or skips the value if such parts are not wanted.
  mutating func read<Record: HARRecord>(
    _ records: inout [Record], in part: HAREntryParts
  ) throws(HARReadError) -> Bool {
    if parts.contains(part) { return try read(&records) }
    try skipValue()
    return true
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
}

/// A HAR object: members that the format defines, and any others.
///
/// A known member of the wrong type is kept among the others under its own name and written again as it came, while the
/// typed property has its default. So reading refuses nothing that is JSON, and a round trip loses nothing.
protocol HARRecord {
  /// With every required member empty or zero.
  init()
  /// The members that the format does not define, or not so.
  var custom: HARObject { get set }
  /// Takes the value of member `name` when it is known and of its type; otherwise takes nothing and returns `false`.
  mutating func read(_ member: String, from parser: inout JSONParser) throws(HARReadError) -> Bool
  /// Writes the known members, except those that stand in `custom`.
  func write(to writer: inout JSONWriter)
}

extension JSONParser {
  /// Takes an object; `false` when something else stands here.
  mutating func read<Record: HARRecord>(_ record: inout Record) throws(HARReadError) -> Bool {
    guard try peek() == UInt8(ascii: "{") else { return false }
    var new = Record()
    try readObject { (parser, name) throws(HARReadError) in
      if try !new.read(name, from: &parser) {
        new.custom.members.append(HARObject.Member(name: name, value: try parser.readValue()))
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

  /// Takes an array of objects; `false`, with nothing taken, when it is none or holds anything else.
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
        _ = try parser.readValue()
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

  mutating func read(_ text: inout String) throws(HARReadError) -> Bool {
    guard try peek() == UInt8(ascii: "\"") else { return false }
    text = try readString()
    return true
  }

  mutating func read(_ text: inout String?) throws(HARReadError) -> Bool {
    guard try peek() == UInt8(ascii: "\"") else { return false }
    text = try readString()
    return true
  }

  mutating func read(_ number: inout Double) throws(HARReadError) -> Bool {
    guard try isNumberNext() else { return false }
    number = HARNumber(checked: try readNumber()).double
    return true
  }

  mutating func read(_ number: inout Double?) throws(HARReadError) -> Bool {
    guard try isNumberNext() else { return false }
    number = HARNumber(checked: try readNumber()).double
    return true
  }

  mutating func read(_ number: inout Int) throws(HARReadError) -> Bool {
    guard try isNumberNext() else { return false }
    let start = self
    guard let integer = HARNumber(checked: try readNumber()).integer else {
      restore(to: start)
      return false
    }
    number = integer
    return true
  }

  mutating func read(_ number: inout Int?) throws(HARReadError) -> Bool {
    var new = 0
    guard try read(&new) else { return false }
    number = new
    return true
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

  private mutating func isNumberNext() throws(HARReadError) -> Bool {
    switch try peek() {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}

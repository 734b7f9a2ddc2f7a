/// One parameter of the URL's query.
public struct HARQueryParameter: Sendable, Hashable {
  /// The name, percent-decoded.
  public var name: String
  /// The value, percent-decoded.
  public var value: String
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    name: String, value: String, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.name = name
    self.value = value
    self.comment = comment
    self.custom = custom
  }
}

extension HARQueryParameter: HARRecord {
  init() {
    self.init(name: "", value: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "name": try parser.read(&name)
    case "value": try parser.read(&value)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("name", name, except: custom)
    writer.append("value", value, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

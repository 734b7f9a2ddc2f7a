/// One field of a form.
public struct HARPostParameter: Sendable, Hashable {
  /// The field's name.
  public var name: String
  /// Its value, or the contents of the file.
  public var value: String?
  /// The name of a file that was sent.
  public var fileName: String?
  /// The type of a file that was sent.
  public var contentType: String?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    name: String, value: String? = nil, fileName: String? = nil, contentType: String? = nil, comment: String? = nil,
    custom: HARObject = [:]
  ) {
    self.name = name
    self.value = value
    self.fileName = fileName
    self.contentType = contentType
    self.comment = comment
    self.custom = custom
  }
}

extension HARPostParameter: HARRecord {
  init() {
    self.init(name: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "name": try parser.read(&name)
    case "value": try parser.read(&value)
    case "fileName": try parser.read(&fileName)
    case "contentType": try parser.read(&contentType)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("name", name, except: custom)
    writer.append("value", value, except: custom)
    writer.append("fileName", fileName, except: custom)
    writer.append("contentType", contentType, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

/// The program that wrote the log; also the form of `browser`.
public struct HARCreator: Sendable, Hashable {
  /// The program.
  public var name: String
  /// Its version.
  public var version: String
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    name: String, version: String, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.name = name
    self.version = version
    self.comment = comment
    self.custom = custom
  }
}

extension HARCreator: HARRecord {
  init() {
    self.init(name: "", version: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "name": try parser.read(&name)
    case "version": try parser.read(&version)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("name", name, except: custom)
    writer.append("version", version, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

extension HARCreator {
  /// From an object of the right shape.
  package init(object value: HARValue) {
    self.init(name: value["name"]?.string ?? "", version: value["version"]?.string ?? "", comment: value["comment"]?.string)
    custom.members = (value.object ?? [:]).members.filter { !["name", "version", "comment"].contains($0.name) }
  }
}

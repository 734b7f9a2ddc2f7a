/// Milliseconds from the page's start; −1 when the event does not apply.
public struct HARPageTimings: Sendable, Hashable {
  /// When the document was loaded.
  public var onContentLoad: Double?
  /// When all of the page was loaded.
  public var onLoad: Double?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    onContentLoad: Double? = nil, onLoad: Double? = nil, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.onContentLoad = onContentLoad
    self.onLoad = onLoad
    self.comment = comment
    self.custom = custom
  }
}

extension HARPageTimings: HARRecord {
  /// Nothing is known.
  public init() {
    self.init(custom: [:])
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "onContentLoad": try parser.read(&onContentLoad)
    case "onLoad": try parser.read(&onLoad)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("onContentLoad", onContentLoad, except: custom)
    writer.append("onLoad", onLoad, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

/// The body of a request.
public struct HARPostData: Sendable, Hashable {
  /// The `Content-Type`.
  public var mimeType: String
  /// The fields of a form.
  public var params: [HARPostParameter]?
  /// The body; in base64 when the custom member `_encoding` says so.
  public var text: String?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject
  /// Bytes of `text` that the reader was told to leave out; they follow the bytes in `text`.
  package var unreadText = 0

  /// Makes a value of its members.
  public init(
    mimeType: String, params: [HARPostParameter]? = nil, text: String? = nil, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.mimeType = mimeType
    self.params = params
    self.text = text
    self.comment = comment
    self.custom = custom
  }
}

extension HARPostData: HARRecord {
  init() {
    self.init(mimeType: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "mimeType": try parser.read(&mimeType)
    case "params": try parser.read(&params, in: .bodies)
    case "text": try parser.readBody(&text, unread: &unreadText)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("mimeType", mimeType, except: custom)
    writer.append("params", params, except: custom)
    writer.append("text", text, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

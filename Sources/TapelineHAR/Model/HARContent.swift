/// The body of a response.
public struct HARContent: Sendable, Hashable {
  /// Bytes after decoding.
  public var size: Int
  /// Bytes that the coding saved.
  public var compression: Int?
  /// `x-unknown` when the type is unknown.
  public var mimeType: String
  /// The body, decoded and in UTF-8, or in base64; absent when it was not kept.
  public var text: String?
  /// `base64` when `text` is in base64.
  public var encoding: String?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject
  /// Bytes of `text` that the reader was told to leave out; they follow the bytes in `text`.
  package var unreadText = 0

  /// Makes a value of its members.
  public init(
    size: Int, compression: Int? = nil, mimeType: String, text: String? = nil, encoding: String? = nil, comment: String? = nil,
    custom: HARObject = [:]
  ) {
    self.size = size
    self.compression = compression
    self.mimeType = mimeType
    self.text = text
    self.encoding = encoding
    self.comment = comment
    self.custom = custom
  }
}

extension HARContent: HARRecord {
  init() {
    self.init(size: 0, mimeType: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "size": try parser.read(&size)
    case "compression": try parser.read(&compression)
    case "mimeType": try parser.read(&mimeType)
    case "text": try parser.readBody(&text, unread: &unreadText)
    case "encoding": try parser.read(&encoding, in: .bodies)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("size", size, except: custom)
    writer.append("compression", compression, except: custom)
    writer.append("mimeType", mimeType, except: custom)
    writer.append("text", text, except: custom)
    writer.append("encoding", encoding, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

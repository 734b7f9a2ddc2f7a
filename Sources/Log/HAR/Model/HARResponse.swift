/// The response as the origin sent it.
public struct HARResponse: Sendable, Hashable {
  /// 0 when none came.
  public var status: Int
  /// The reason phrase.
  public var statusText: String
  /// As sent: `HTTP/1.1`.
  public var httpVersion: String
  /// One for each `Set-Cookie` line.
  public var cookies: [HARCookie]
  /// One for each line, in order, spelled as it came.
  public var headers: [HARHeader]
  /// The body.
  public var content: HARContent
  /// The `Location`, or empty.
  public var redirectURL: String
  /// Bytes of the head, the empty line included; −1 when unknown.
  public var headersSize: Int
  /// Bytes of the body on the wire; −1 when unknown.
  public var bodySize: Int
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    status: Int, statusText: String, httpVersion: String, cookies: [HARCookie] = [], headers: [HARHeader] = [],
    content: HARContent, redirectURL: String = "", headersSize: Int = -1, bodySize: Int = -1, comment: String? = nil,
    custom: HARObject = [:]
  ) {
    self.status = status
    self.statusText = statusText
    self.httpVersion = httpVersion
    self.cookies = cookies
    self.headers = headers
    self.content = content
    self.redirectURL = redirectURL
    self.headersSize = headersSize
    self.bodySize = bodySize
    self.comment = comment
    self.custom = custom
  }
}

extension HARResponse: HARRecord {
  init() {
    (status, statusText, httpVersion) = (0, "", "")
    (cookies, headers) = ([], [])
    (content, redirectURL) = (HARContent(), "")
    (headersSize, bodySize) = (-1, -1)
    custom = HARObject()
  }

  /// A head with the status of a gRPC call is always read.
  static let callHints = [TextHint("\"grpc-status\""), TextHint("\"Grpc-Status\"")]

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "status": try parser.read(&status)
    case "statusText": try parser.read(&statusText)
    case "httpVersion": try parser.read(&httpVersion)
    case "cookies": try parser.read(&cookies, in: .fields)
    case "headers": try parser.read(&headers, in: .fields, hints: Self.callHints)
    case "content": try parser.read(&content)
    case "redirectURL": try parser.read(&redirectURL)
    case "headersSize": try parser.read(&headersSize)
    case "bodySize": try parser.read(&bodySize)
    case "comment": try parser.read(&comment)
    default: false
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.append("status", status, except: custom)
    writer.append("statusText", statusText, except: custom)
    writer.append("httpVersion", httpVersion, except: custom)
    writer.append("cookies", cookies, except: custom)
    writer.append("headers", headers, except: custom)
    writer.append("content", content, except: custom)
    writer.append("redirectURL", redirectURL, except: custom)
    writer.append("headersSize", headersSize, except: custom)
    writer.append("bodySize", bodySize, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

/// The body of a response.
public struct HARContent: Sendable, Hashable {
  /// Bytes after decoding; −1 when unknown.
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
    self.init(size: -1, mimeType: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "size": try parser.read(&size)
    case "compression": try parser.read(&compression)
    case "mimeType": try parser.read(&mimeType)
    case "text": try parser.readBody(&text, unread: &unreadText, hints: OperationError.responseHints)
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

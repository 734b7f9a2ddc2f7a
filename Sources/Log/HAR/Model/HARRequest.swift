/// The request as the client sent it.
public struct HARRequest: Sendable, Hashable {
  /// As sent.
  public var method: String
  /// Absolute, without fragment.
  public var url: String
  /// As sent: `HTTP/1.1`.
  public var httpVersion: String
  /// The pairs of all `Cookie` lines.
  public var cookies: [HARCookie]
  /// One for each line, in order, spelled as it came.
  public var headers: [HARHeader]
  /// The parameters of `url`.
  public var queryString: [HARQueryParameter]
  /// The body; absent when there was none.
  public var postData: HARPostData?
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
    method: String, url: String, httpVersion: String, cookies: [HARCookie] = [], headers: [HARHeader] = [],
    queryString: [HARQueryParameter] = [], postData: HARPostData? = nil, headersSize: Int = -1, bodySize: Int = -1,
    comment: String? = nil, custom: HARObject = [:]
  ) {
    self.method = method
    self.url = url
    self.httpVersion = httpVersion
    self.cookies = cookies
    self.headers = headers
    self.queryString = queryString
    self.postData = postData
    self.headersSize = headersSize
    self.bodySize = bodySize
    self.comment = comment
    self.custom = custom
  }
}

extension HARRequest: HARRecord {
  init() {
    (method, url, httpVersion) = ("", "", "")
    (cookies, headers, queryString) = ([], [], [])
    (headersSize, bodySize) = (-1, -1)
    custom = HARObject()
  }

  /// Headers without one of these, as a log spells it, name no operation of AWS or SOAP.
  private static let operationHints = [
    TextHint("Amz-Target\""), TextHint("amz-target\""), TextHint("SOAPAction\""), TextHint("soapaction\""),
  ]

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "method": try parser.read(&method)
    case "url": try parser.read(&url)
    case "httpVersion": try parser.read(&httpVersion)
    case "cookies": try parser.read(&cookies, in: .fields)
    case "headers": try parser.read(&headers, in: parser.parts.contains(.row) ? .row : .fields, hints: Self.operationHints)
    case "queryString": try parser.read(&queryString, in: .fields)
    case "postData": try parser.read(&postData)
    case "headersSize": try parser.read(&headersSize)
    case "bodySize": try parser.read(&bodySize)
    case "comment": try parser.read(&comment)
    case HARMember.pseudo: try readPseudoFields(from: &parser)
    default: false
    }
  }

  /// Reads the pseudo-fields of a CONNECT when other members that the format does not define are not wanted: they tell a
  /// WebSocket from a tunnel (RFC 8441 4).
  private mutating func readPseudoFields(from parser: inout JSONParser) throws(HARReadError) -> Bool {
    guard !parser.parts.contains(.custom), method == "CONNECT" else { return false }
    custom[.pseudo] = try parser.readValue()
    return true
  }

  func write(to writer: inout JSONWriter) {
    writer.append("method", method, except: custom)
    writer.append("url", url, except: custom)
    writer.append("httpVersion", httpVersion, except: custom)
    writer.append("cookies", cookies, except: custom)
    writer.append("headers", headers, except: custom)
    writer.append("queryString", queryString, except: custom)
    writer.append("postData", postData, except: custom)
    writer.append("headersSize", headersSize, except: custom)
    writer.append("bodySize", bodySize, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

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
    case "text": try parser.readBody(&text, unread: &unreadText, hints: OperationError.requestHints)
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

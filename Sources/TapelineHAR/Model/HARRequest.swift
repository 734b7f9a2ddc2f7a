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
    self.init(method: "", url: "", httpVersion: "")
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "method": try parser.read(&method)
    case "url": try parser.read(&url)
    case "httpVersion": try parser.read(&httpVersion)
    case "cookies": try parser.read(&cookies, in: .fields)
    case "headers": try parser.read(&headers, in: .fields)
    case "queryString": try parser.read(&queryString, in: .fields)
    case "postData": try parser.read(&postData)
    case "headersSize": try parser.read(&headersSize)
    case "bodySize": try parser.read(&bodySize)
    case "comment": try parser.read(&comment)
    default: false
    }
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

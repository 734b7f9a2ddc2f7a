/// The members that HAR 1.2 gives an object.
final class HARShape: Sendable {
  struct Member: Sendable {
    let name: String
    let type: HARType
    /// What stands for a required member that is missing; `nil` for an optional one.
    let substitute: HARValue?
    /// `null` is as good as nothing here.
    let allowsNull: Bool
  }

  let members: [Member]

  private init(_ members: [Member]) {
    self.members = members + [Self.optional("comment", .string)]
  }

  func member(_ name: String) -> Member? {
    members.first { $0.name == name }
  }

  private static func required(_ name: String, _ type: HARType, or substitute: HARValue) -> Member {
    Member(name: name, type: type, substitute: substitute, allowsNull: false)
  }

  private static func optional(_ name: String, _ type: HARType, allowsNull: Bool = false) -> Member {
    Member(name: name, type: type, substitute: nil, allowsNull: allowsNull)
  }

  static let log = HARShape([
    required("version", .string, or: "1.2"), required("creator", .object(creator), or: ["name": "unknown", "version": ""]),
    optional("browser", .object(creator)), optional("pages", .array(of: page)), required("entries", .array(of: entry), or: []),
  ])
  static let creator = HARShape([required("name", .string, or: "unknown"), required("version", .string, or: "")])
  static let page = HARShape([
    required("startedDateTime", .string, or: ""), required("id", .string, or: ""), required("title", .string, or: ""),
    required("pageTimings", .object(pageTimings), or: [:]),
  ])
  private static let pageTimings = HARShape([optional("onContentLoad", .number), optional("onLoad", .number)])
  static let entry = HARShape([
    optional("pageref", .string), required("startedDateTime", .string, or: ""), required("time", .number, or: -1),
    required("request", .object(request), or: [:]), required("response", .object(response), or: [:]),
    required("cache", .object(cache), or: [:]), required("timings", .object(timings), or: [:]),
    optional("serverIPAddress", .string), optional("connection", .string),
  ])
  private static let request = HARShape([
    required("method", .string, or: "GET"), required("url", .string, or: ""), required("httpVersion", .string, or: "unknown"),
    required("cookies", .array(of: cookie), or: []), required("headers", .array(of: field), or: []),
    required("queryString", .array(of: field), or: []), optional("postData", .object(postData)),
    required("headersSize", .integer, or: -1), required("bodySize", .integer, or: -1),
  ])
  private static let response = HARShape([
    required("status", .integer, or: 0), required("statusText", .string, or: ""),
    required("httpVersion", .string, or: "unknown"), required("cookies", .array(of: cookie), or: []),
    required("headers", .array(of: field), or: []), required("content", .object(content), or: [:]),
    required("redirectURL", .string, or: ""), required("headersSize", .integer, or: -1), required("bodySize", .integer, or: -1),
  ])
  private static let cookie = HARShape([
    required("name", .string, or: ""), required("value", .string, or: ""), optional("path", .string),
    optional("domain", .string), optional("expires", .string, allowsNull: true), optional("httpOnly", .boolean),
    optional("secure", .boolean), optional("sameSite", .string),
  ])
  /// Headers and parameters of the query.
  private static let field = HARShape([required("name", .string, or: ""), required("value", .string, or: "")])
  private static let postData = HARShape([
    required("mimeType", .string, or: "x-unknown"), optional("params", .array(of: parameter)), optional("text", .string),
  ])
  private static let parameter = HARShape([
    required("name", .string, or: ""), optional("value", .string), optional("fileName", .string),
    optional("contentType", .string),
  ])
  private static let content = HARShape([
    required("size", .integer, or: 0), optional("compression", .integer), required("mimeType", .string, or: "x-unknown"),
    optional("text", .string), optional("encoding", .string),
  ])
  private static let cache = HARShape([
    optional("beforeRequest", .object(cacheState), allowsNull: true),
    optional("afterRequest", .object(cacheState), allowsNull: true),
  ])
  private static let cacheState = HARShape([
    optional("expires", .string), required("lastAccess", .string, or: ""), required("eTag", .string, or: ""),
    required("hitCount", .integer, or: 0),
  ])
  private static let timings = HARShape([
    optional("blocked", .number), optional("dns", .number), optional("connect", .number), required("send", .number, or: 0),
    required("wait", .number, or: 0), required("receive", .number, or: 0), optional("ssl", .number),
  ])
}

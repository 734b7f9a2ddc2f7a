/// The members that HAR 1.2 gives an object.
final class HARShape: Sendable {
  struct Member: Sendable {
    /// As in the text of a log, for comparing `name` without a `String`.
    let key: StaticString
    let name: String
    let type: HARType
    /// The value for a required member that is missing; `nil` for an optional member.
    let substitute: HARValue?
    /// Whether `null` counts as absent.
    let allowsNull: Bool
    /// The fact that rules beyond the shape need.
    let fact: Fact?
  }

  /// Members that rules beyond the shape are about.
  enum Fact: Sendable {
    case pageref, startedDateTime, time, serverIPAddress, url
    case fieldValue, cookieExpires, cacheState
    case postData, postText, content, contentSize, compression, bodyText, encoding, responseBodySize
    case blocked, dns, connect, send, wait, receive, ssl
  }

  let members: [Member]
  /// A bit for each required member, by its place.
  let requiredMembers: UInt32

  private init(_ members: [Member]) {
    let all = members + [Self.optional("comment", .string)]
    self.members = all
    requiredMembers = all.indices.reduce(0) { $0 | (all[$1].substitute == nil ? 0 : 1 << UInt32($1)) }
  }

  /// The place of a member, most likely the expected place.
  func index(of name: MemberName, expecting expected: Int) -> Int? {
    if expected < members.count, name.matches(members[expected].key) { return expected }
    return members.firstIndex { name.matches($0.key) }
  }

  func member(_ name: String) -> Member? {
    members.first { $0.name == name }
  }

  private static func required(_ name: StaticString, _ type: HARType, or substitute: HARValue, _ fact: Fact? = nil) -> Member {
    Member(key: name, name: name.description, type: type, substitute: substitute, allowsNull: false, fact: fact)
  }

  private static func optional(_ name: StaticString, _ type: HARType, allowsNull: Bool = false, _ fact: Fact? = nil) -> Member {
    Member(key: name, name: name.description, type: type, substitute: nil, allowsNull: allowsNull, fact: fact)
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
    optional("pageref", .string, .pageref), required("startedDateTime", .string, or: "", .startedDateTime),
    required("time", .number, or: -1, .time),
    required("request", .object(request), or: [:]), required("response", .object(response), or: [:]),
    required("cache", .object(cache), or: [:]), required("timings", .object(timings), or: [:]),
    optional("serverIPAddress", .string, .serverIPAddress), optional("connection", .string),
  ])
  private static let request = HARShape([
    required("method", .string, or: "GET"), required("url", .string, or: "", .url),
    required("httpVersion", .string, or: "unknown"),
    required("cookies", .array(of: cookie), or: []), required("headers", .array(of: field), or: []),
    required("queryString", .array(of: field), or: []), optional("postData", .object(postData), .postData),
    required("headersSize", .size, or: -1), required("bodySize", .size, or: -1),
  ])
  private static let response = HARShape([
    required("status", .integer, or: 0), required("statusText", .string, or: ""),
    required("httpVersion", .string, or: "unknown"), required("cookies", .array(of: cookie), or: []),
    required("headers", .array(of: field), or: []), required("content", .object(content), or: [:], .content),
    required("redirectURL", .string, or: ""), required("headersSize", .size, or: -1),
    required("bodySize", .size, or: -1, .responseBodySize),
  ])
  private static let cookie = HARShape([
    required("name", .string, or: ""), required("value", .string, or: ""), optional("path", .string),
    optional("domain", .string), optional("expires", .string, allowsNull: true, .cookieExpires), optional("httpOnly", .boolean),
    optional("secure", .boolean), optional("sameSite", .string),
  ])
  /// Headers and parameters of the query.
  private static let field = HARShape([required("name", .string, or: ""), required("value", .string, or: "", .fieldValue)])
  private static let postData = HARShape([
    required("mimeType", .string, or: "x-unknown"), optional("params", .array(of: parameter)),
    optional("text", .string, .postText),
  ])
  private static let parameter = HARShape([
    required("name", .string, or: ""), optional("value", .string), optional("fileName", .string),
    optional("contentType", .string),
  ])
  private static let content = HARShape([
    required("size", .size, or: 0, .contentSize), optional("compression", .integer, .compression),
    required("mimeType", .string, or: "x-unknown"),
    optional("text", .string, .bodyText), optional("encoding", .string, .encoding),
  ])
  private static let cache = HARShape([
    optional("beforeRequest", .object(cacheState), allowsNull: true, .cacheState),
    optional("afterRequest", .object(cacheState), allowsNull: true, .cacheState),
  ])
  private static let cacheState = HARShape([
    optional("expires", .string), required("lastAccess", .string, or: ""), required("eTag", .string, or: ""),
    required("hitCount", .size, or: 0),
  ])
  private static let timings = HARShape([
    optional("blocked", .number, .blocked), optional("dns", .number, .dns), optional("connect", .number, .connect),
    required("send", .number, or: 0, .send), required("wait", .number, or: 0, .wait),
    required("receive", .number, or: 0, .receive),
    optional("ssl", .number, .ssl),
  ])
}

internal import TapelineBase

/// The members that HAR 1.2 gives an object.
final class HARShape: Sendable {
  struct Member: Sendable {
    let name: String
    let type: HARType
    /// The value for a required member that is missing; `nil` for an optional member.
    let substitute: HARValue?
    /// Whether `null` counts as absent.
    let allowsNull: Bool
  }

  /// A member as a scan sees it, without the texts of `Member`, whose copies would cost more than the scan of most values.
  struct Step: Sendable {
    /// The name as in the text of a log, for comparing without a `String`.
    let key: StaticString
    let allowsNull: Bool
    let isObject: Bool
    /// The fact that a scan may keep.
    let fact: Fact?
    /// The scans that keep it.
    let parts: HAREntryParts

    fileprivate init(_ key: StaticString, _ member: Member, _ fact: Fact?) {
      self.key = key
      self.fact = fact
      allowsNull = member.allowsNull
      isObject = if case .object = member.type { true } else { false }
      parts = fact?.parts ?? []
    }
  }

  /// Members that `stats` counts, or that rules beyond the shape are about.
  enum Fact: Hashable, Sendable {
    case pageref, startedDateTime, time, serverIPAddress, phase(Phase)
    case method, url, requestBodySize, postData, postText
    case status, statusText, responseHeaders, content, contentSize, compression, bodyText, encoding, responseBodySize
    case fieldValue, cookieExpires, cacheState

    /// The scans that keep it.
    fileprivate var parts: HAREntryParts {
      switch self {
      case .time, .phase, .url, .responseBodySize, .cacheState: [.figures, .shape]
      case .method, .requestBodySize, .status, .statusText: .figures
      case .pageref, .startedDateTime, .serverIPAddress, .postData, .postText, .responseHeaders, .content, .contentSize,
        .compression, .bodyText, .encoding, .fieldValue, .cookieExpires:
        .shape
      }
    }
  }

  private typealias Row = (member: Member, step: Step)

  let members: [Member]
  /// By the places of the members.
  let steps: [Step]
  /// A bit for each required member, by its place.
  let requiredMembers: UInt32

  private init(_ known: [Row]) {
    let rows = known + [Self.optional("comment", .string)]
    members = rows.map(\.member)
    steps = rows.map(\.step)
    requiredMembers = rows.indices.reduce(0) { $0 | (rows[$1].member.substitute == nil ? 0 : 1 << UInt32($1)) }
  }

  /// The place of a member, most likely the expected place.
  @inline(__always)
  func index(of name: MemberName, expecting expected: Int) -> Int? {
    if expected < steps.count, name.matches(steps[expected].key) { return expected }
    return name.isForeign ? nil : steps.firstIndex { name.matches($0.key) }
  }

  func member(_ name: String) -> Member? {
    members.first { $0.name == name }
  }

  private static func required(_ name: StaticString, _ type: HARType, or substitute: HARValue, _ fact: Fact? = nil) -> Row {
    let member = Member(name: name.description, type: type, substitute: substitute, allowsNull: false)
    return (member, Step(name, member, fact))
  }

  private static func optional(_ name: StaticString, _ type: HARType, allowsNull: Bool = false, _ fact: Fact? = nil) -> Row {
    let member = Member(name: name.description, type: type, substitute: nil, allowsNull: allowsNull)
    return (member, Step(name, member, fact))
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
    required("method", .string, or: "GET", .method), required("url", .string, or: "", .url),
    required("httpVersion", .string, or: "unknown"),
    required("cookies", .array(of: cookie), or: []), required("headers", .array(of: field), or: []),
    required("queryString", .array(of: field), or: []), optional("postData", .object(postData), .postData),
    required("headersSize", .size, or: -1), required("bodySize", .size, or: -1, .requestBodySize),
  ])
  private static let response = HARShape([
    required("status", .integer, or: 0, .status), required("statusText", .string, or: "", .statusText),
    required("httpVersion", .string, or: "unknown"), required("cookies", .array(of: cookie), or: []),
    required("headers", .array(of: field), or: [], .responseHeaders), required("content", .object(content), or: [:], .content),
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
  private static let timings = HARShape(
    Phase.ofHAR.map { phase in
      phase.isRequired
        ? required(phase.key, .number, or: 0, .phase(phase)) : optional(phase.key, .number, .phase(phase))
    })
}

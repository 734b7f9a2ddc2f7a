/// The members that HAR 1.2 gives an entry, by their paths in the log.
enum HARMemberPath {
  /// The members that also have a short name.
  static let known: [String: QueryField.Known] = [
    "startedDateTime": .start, "serverIPAddress": .ip,
    "request.method": .method, "request.url": .url, "request.httpVersion": .requestVersion,
    "request.headersSize": .requestHeadSize, "request.bodySize": .requestSize,
    "request.postData.mimeType": .requestMime, "request.postData.text": .requestBody,
    "response.status": .status, "response.statusText": .statusText, "response.httpVersion": .version,
    "response.redirectURL": .redirect, "response.headersSize": .responseHeadSize, "response.bodySize": .responseSize,
    "response.content.size": .contentSize, "response.content.mimeType": .mime, "response.content.text": .responseBody,
    "timings.dns": .dns, "timings.connect": .connect, "timings.ssl": .ssl, "timings.send": .send,
    "timings.wait": .wait, "timings.receive": .receive,
  ]

  /// Lists of names and values.
  static let named: [String: QueryField.Named] = [
    "request.headers": .requestHeader, "response.headers": .responseHeader, "request.cookies": .requestCookie,
    "response.cookies": .responseCookie, "request.queryString": .query, "request.postData.params": .parameter,
  ]

  /// The kind of a member without a short name; `nil` if HAR has no such member and the path names no other program's member.
  static func kind(of path: [String]) -> QueryField.Kind? {
    guard let first = path.first, containers.contains(first) else { return nil }
    if path.contains(where: { $0.hasPrefix("_") }) { return .any }
    return kinds[path.joined(separator: ".")]
  }

  private static let containers: Set<String> = ["request", "response", "cache", "timings"]

  private static let kinds: [String: QueryField.Kind] = {
    var kinds: [String: QueryField.Kind] = [
      "request.comment": .text, "request.postData": .any, "request.postData.comment": .text, "response.comment": .text,
      "response.content.compression": .number(.size), "response.content.encoding": .text, "response.content.comment": .text,
      "cache.comment": .text, "timings.comment": .text,
    ]
    func add(_ container: String, _ members: [String: QueryField.Kind]) {
      kinds[container] = .any
      for (name, kind) in members { kinds["\(container).\(name)"] = kind }
    }
    let pair: [String: QueryField.Kind] = ["name": .text, "value": .text, "comment": .text]
    let cookie: [String: QueryField.Kind] = [
      "path": .text, "domain": .text, "expires": .date, "httpOnly": .flag, "secure": .flag, "sameSite": .text,
    ]
    let state: [String: QueryField.Kind] = [
      "expires": .date, "lastAccess": .date, "eTag": .text, "hitCount": .number(.plain), "comment": .text,
    ]
    for container in ["request.headers", "response.headers", "request.queryString"] { add(container, pair) }
    for container in ["request.cookies", "response.cookies"] { add(container, pair.merging(cookie) { $1 }) }
    add("request.postData.params", pair.merging(["fileName": .text, "contentType": .text]) { $1 })
    for container in ["cache.beforeRequest", "cache.afterRequest"] { add(container, state) }
    return kinds
  }()
}

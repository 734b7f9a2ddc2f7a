internal import TapelineHAR
internal import TapelineBase

extension QueryField {
  /// The field's value in an exchange; `number` is the place of the exchange in its file, from 1.
  func value(in entry: HAREntry, number: Int) -> QueryValue {
    switch source {
    case .known(let field): field.value(in: entry, number: number)
    case .named(let field, let name): .several(field.values(named: name, in: entry))
    case .custom(.entry, let path) where path.first == HARMember.chunks.name && entry.custom[.chunks]?.string != nil:
      QueryValue(RecordedPieces(entry).value, at: path.dropFirst())
    case .custom(let owner, let path): QueryValue(HARValue.object(owner.members(of: entry)), at: path[...])
    case .serverTime(let name): ServerTime(entry)?[name].map(QueryValue.number) ?? .absent
    case .member(let path, _): QueryValue(tree(of: entry), at: path[...])
    }
  }

  /// The parts of an entry that the field needs.
  var parts: HAREntryParts {
    switch source {
    case .named(.parameter, _): [.fields, .bodies, .custom]
    case .named: .fields
    case .custom: .custom
    case .serverTime: [.fields, .custom]
    case .member: .all
    case .known(let field): field.parts
    }
  }

  /// The entry as JSON. Rare fields have no reader of their own.
  private func tree(of entry: HAREntry) -> HARValue {
    let bytes = entry.json
    do throws(HARReadError) {
      return try HARValue(json: bytes.span)
    } catch {
      preconditionFailure("What was written as JSON can be read as JSON")
    }
  }
}

extension QueryField.Named {
  fileprivate func values(named name: String, in entry: HAREntry) -> [QueryValue] {
    switch self {
    case .requestHeader: entry.request.headers.filter { $0.name.isSameName(as: name) }.map { .text($0.value) }
    case .responseHeader: entry.response.headers.filter { $0.name.isSameName(as: name) }.map { .text($0.value) }
    case .requestCookie: entry.request.cookies.filter { $0.name.isSameName(as: name) }.map { .text($0.value) }
    case .responseCookie: entry.response.cookies.filter { $0.name.isSameName(as: name) }.map { .text($0.value) }
    case .query: entry.request.queryString.filter { $0.name.isSameName(as: name) }.map { .text($0.value) }
    case .parameter:
      (entry.request.postData?.fields ?? []).filter { $0.name.isSameName(as: name) }.compactMap { $0.value.map { .text($0) } }
    }
  }
}

extension QueryField.Owner {
  fileprivate func members(of entry: HAREntry) -> HARObject {
    switch self {
    case .entry: entry.custom
    case .request: entry.request.custom
    case .response: entry.response.custom
    case .content: entry.response.content.custom
    }
  }
}

extension QueryValue {
  /// The value at the end of a path; if an array is on the way, the values from each of its elements.
  init(_ value: HARValue, at path: ArraySlice<String>) {
    if case .array(let elements) = value {
      let found = elements.map { QueryValue($0, at: path) }.filter { $0 != .absent }
      self = path.isEmpty || !found.isEmpty ? .several(found) : .absent
      return
    }
    if let name = path.first {
      self = value[name].map { QueryValue($0, at: path.dropFirst()) } ?? .absent
      return
    }
    switch value {
    case .null, .array: self = .absent
    case .bool(let flag): self = .flag(flag)
    case .number(let number): self = .number(number.double)
    case .string(let text): self = .text(text)
    case .object: self = .object
    }
  }
}

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
  ].merging(Phase.ofHAR.filter { $0 != .blocked }.map { ("timings.\($0.name)", $0.field) }) { $1 }

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

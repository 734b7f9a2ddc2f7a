internal import TapelineHAR
internal import TapelineText

extension QueryField {
  /// The field's value in an exchange; `number` is the place of the exchange in its file, from 1.
  func value(in entry: HAREntry, number: Int) -> QueryValue {
    switch source {
    case .known(let field): field.value(in: entry, number: number)
    case .named(let field, let name): .several(field.values(named: name, in: entry))
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

extension QueryField.Known {
  fileprivate var parts: HAREntryParts {
    switch self {
    case .requestBody, .responseBody: [.bodies, .custom, .fields]
    case .requestMime: [.bodies, .custom]
    case .connection, .changed, .stream, .reset: .custom
    case .page: .pageTitle
    case .server: [.fields, .custom]
    case .trace: .fields
    case .type: [.fields, .custom]
    case .number, .method, .url, .scheme, .host, .port, .origin, .path, .status, .statusText, .version, .mime, .pageID, .start,
      .ip,
      .comment, .time, .total, .client, .proxy, .blocked, .blockedInAll, .dns, .connect, .ssl, .send, .wait, .receive,
      .requestSize,
      .requestHeadSize,
      .requestVersion, .responseSize, .responseHeadSize, .contentSize, .redirect, .error, .errorMessage, .errorOrigin,
      .errorPhase, .errorKind, .ended, .reused, .file, .directory, .grpc, .grpcMessages:
      []
    }
  }

  fileprivate func value(in entry: HAREntry, number: Int) -> QueryValue {
    switch self {
    case .number: .number(Double(number))
    case .method: known(entry.request.method)
    case .url: entry.request.url.isEmpty ? .absent : readable(entry.request.url)
    case .scheme: text(RequestURL(entry.request.url)?.scheme)
    case .host: text(RequestURL(entry.request.url)?.host)
    case .port: RequestURL(entry.request.url)?.port.map { .number(Double($0)) } ?? .absent
    case .origin: text(RequestURL(entry.request.url)?.origin)
    case .path: RequestURL(entry.request.url).map { readable($0.path) } ?? .absent
    case .status: .number(Double(entry.response.status))
    case .statusText: known(entry.response.statusText)
    case .version: anyVersion(entry.response.httpVersion)
    case .mime: known(mediaType(entry.response.content.mimeType))
    case .type: .text(ResourceType(entry).rawValue)
    case .page: page(of: entry)
    case .pageID: text(entry.pageref)
    case .start: known(entry.startedDateTime)
    case .ip: text(entry.serverIPAddress)
    case .connection: text(entry.custom["_connectionId"]?.string ?? entry.connection)
    case .comment: text(entry.comment)
    case .time: entry.duration.map(QueryValue.number) ?? .absent
    case .total: entry.total.map(QueryValue.number) ?? .absent
    case .client: phase(.client, entry)
    case .proxy: phase(.proxy, entry)
    case .blocked: phase(.blocked, entry)
    case .dns: phase(.dns, entry)
    case .connect: phase(.connect, entry)
    case .ssl: phase(.ssl, entry)
    case .send: phase(.send, entry)
    case .wait: phase(.wait, entry)
    case .receive: phase(.receive, entry)
    case .requestSize: size(entry.request.bodySize)
    case .requestHeadSize: size(entry.request.headersSize)
    case .requestBody: body(LoggedBody(request: entry.request))
    case .requestMime: text(entry.request.postData.map { mediaType($0.mimeType) })
    case .requestVersion: anyVersion(entry.request.httpVersion)
    case .responseSize: size(entry.response.bodySize)
    case .responseHeadSize: size(entry.response.headersSize)
    case .responseBody: body(LoggedBody(response: entry.response))
    case .contentSize: size(entry.response.content.size)
    case .redirect: known(entry.response.redirectURL)
    case .error: text(RecordedFailure(entry)?.text)
    case .errorMessage: text(RecordedFailure(entry)?.message)
    case .errorOrigin: text(RecordedFailure(entry)?.origin)
    case .errorPhase: text(RecordedFailure(entry)?.phase)
    case .errorKind: text(RecordedFailure(entry)?.kind)
    case .ended: text(RecordedEnd(entry)?.phase)
    case .stream: LoggedStream(entry).flatMap { $0.id ?? $0.clientID }.map { .number(Double($0)) } ?? .absent
    case .reset: text(LoggedStream(entry)?.reset)
    case .grpc: text(CallStatus(entry)?.outcome ?? RecordedCall(entry)?.outcome)
    case .grpcMessages: RecordedCall(entry).map { .number(Double($0.messageCount)) } ?? .absent
    case .changed: .flag(!(entry.custom["_changes"]?.array ?? []).isEmpty)
    case .blockedInAll: entry.timings.blocked.flatMap(\.asDuration).map(QueryValue.number) ?? .absent
    case .server: ServerTime(entry)?.total.map(QueryValue.number) ?? .absent
    case .trace: text(RecordedTrace(entry)?.id)
    case .file: text(entry.file)
    case .directory: text(entry.directory)
    case .reused: .flag((entry.timings.connect ?? -1) < 0 && entry.response.status > 0)
    }
  }

  private func page(of entry: HAREntry) -> QueryValue {
    guard let id = entry.pageref, let title = entry.pageTitle else { return text(entry.pageref) }
    return .titled(title, id: id)
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

extension String {
  /// Equal but for the case of ASCII letters, as the names of fields are (RFC 9110, section 5.1).
  fileprivate func isSameName(as other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0 == $1 || Byte.lowercased($0) == Byte.lowercased($1) }
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
  fileprivate init(_ value: HARValue, at path: ArraySlice<String>) {
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

private func text(_ text: String?) -> QueryValue {
  text.map(QueryValue.text) ?? .absent
}

/// Of a text that is empty only if there is none.
private func known(_ text: String) -> QueryValue {
  text.isEmpty ? .absent : .text(text)
}

/// A URL or a path as it is in the log; queries can also match the form that people write.
private func readable(_ text: String) -> QueryValue {
  text.readableURL.map { .titled(text, id: $0) } ?? .text(text)
}

/// In HAR, −1 means that a size is not known.
private func size(_ bytes: Int) -> QueryValue {
  bytes < 0 ? .absent : .number(Double(bytes))
}

/// The spelling of the log, and the number that all spellings of a version have.
private func anyVersion(_ spelling: String) -> QueryValue {
  RecordedVersion(spelling).number.map { .numbered(spelling, $0) } ?? known(spelling)
}

private func phase(_ phase: Phase, _ entry: HAREntry) -> QueryValue {
  PhaseDurations(entry)[phase].map(QueryValue.number) ?? .absent
}

private func body(_ body: LoggedBody) -> QueryValue {
  switch body {
  case .bytes(let bytes): .text(String(decoding: bytes, as: UTF8.self))
  case .empty, .notRecorded, .inFile, .damaged: .absent
  }
}

/// The media type without its parameters, in lower case.
private func mediaType(_ text: String) -> String {
  text.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
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

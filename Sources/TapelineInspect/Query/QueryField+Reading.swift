internal import TapelineHAR

extension QueryField {
  /// What the field holds in an exchange; `number` is the place of the exchange in its file, from 1.
  func value(in entry: HAREntry, number: Int) -> QueryValue {
    switch source {
    case .known(let field): field.value(in: entry, number: number)
    case .named(let field, let name): .several(field.values(named: name, in: entry))
    case .custom(let owner, let path): owner.value(at: path, in: entry)
    }
  }

  /// What of an entry must have been read for it.
  var parts: HAREntryParts {
    switch source {
    case .named: .fields
    case .custom: .custom
    case .known(let field):
      switch field {
      case .requestBody, .responseBody, .requestMime: [.bodies, .custom]
      case .number, .method, .url, .scheme, .host, .port, .path, .status, .statusText, .version, .mime, .page, .start, .ip,
        .connection,
        .comment, .total, .blocked, .dns, .connect, .ssl, .send, .wait, .receive, .requestSize, .requestHeadSize, .responseSize,
        .responseHeadSize, .contentSize, .redirect, .error, .errorOrigin, .errorPhase, .errorKind, .reused:
        []
      }
    }
  }
}

extension QueryField.Known {
  fileprivate func value(in entry: HAREntry, number: Int) -> QueryValue {
    switch self {
    case .number: .number(Double(number))
    case .method: .text(entry.request.method)
    case .url: .text(entry.request.url)
    case .scheme: text(RequestURL(entry.request.url)?.scheme)
    case .host: text(RequestURL(entry.request.url)?.host)
    case .port: RequestURL(entry.request.url)?.port.map { .number(Double($0)) } ?? .absent
    case .path: text(RequestURL(entry.request.url)?.path)
    case .status: .number(Double(entry.response.status))
    case .statusText: .text(entry.response.statusText)
    case .version: .text(entry.response.httpVersion)
    case .mime: .text(mediaType(entry.response.content.mimeType))
    case .page: text(entry.pageref)
    case .start: .text(entry.startedDateTime)
    case .ip: text(entry.serverIPAddress)
    case .connection: text(entry.custom["_connectionId"]?.string ?? entry.connection)
    case .comment: text(entry.comment)
    case .total: .number(entry.time)
    case .blocked: phase(.blocked, entry)
    case .dns: phase(.dns, entry)
    case .connect: phase(.connect, entry)
    case .ssl: phase(.ssl, entry)
    case .send: phase(.send, entry)
    case .wait: phase(.wait, entry)
    case .receive: phase(.receive, entry)
    case .requestSize: size(entry.request.bodySize)
    case .requestHeadSize: size(entry.request.headersSize)
    case .requestBody: body(RecordedBody(request: entry.request))
    case .requestMime: text(entry.request.postData.map { mediaType($0.mimeType) })
    case .responseSize: size(entry.response.bodySize)
    case .responseHeadSize: size(entry.response.headersSize)
    case .responseBody: body(RecordedBody(response: entry.response))
    case .contentSize: size(entry.response.content.size)
    case .redirect: .text(entry.response.redirectURL)
    case .error: text(RecordedFailure(entry)?.text)
    case .errorOrigin: text(RecordedFailure(entry)?.origin)
    case .errorPhase: text(RecordedFailure(entry)?.phase)
    case .errorKind: text(RecordedFailure(entry)?.kind)
    case .reused: .flag((entry.timings.connect ?? -1) < 0 && entry.response.status != 0)
    }
  }
}

extension QueryField.Named {
  fileprivate func values(named name: String, in entry: HAREntry) -> [String] {
    let name = name.lowercased()
    return switch self {
    case .requestHeader: entry.request.headers.filter { $0.name.lowercased() == name }.map(\.value)
    case .responseHeader: entry.response.headers.filter { $0.name.lowercased() == name }.map(\.value)
    case .requestCookie: entry.request.cookies.filter { $0.name.lowercased() == name }.map(\.value)
    case .responseCookie: entry.response.cookies.filter { $0.name.lowercased() == name }.map(\.value)
    case .query: entry.request.queryString.filter { $0.name.lowercased() == name }.map(\.value)
    case .parameter: (entry.request.postData?.params ?? []).filter { $0.name.lowercased() == name }.compactMap(\.value)
    }
  }
}

extension QueryField.Owner {
  fileprivate func value(at path: [String], in entry: HAREntry) -> QueryValue {
    let members =
      switch self {
      case .entry: entry.custom
      case .request: entry.request.custom
      case .response: entry.response.custom
      case .content: entry.response.content.custom
      }
    var value: HARValue? = .object(members)
    for name in path { value = value?[name] }
    return switch value {
    case nil, .null: .absent
    case .bool(let flag): .flag(flag)
    case .number(let number): .number(number.double)
    case .string(let text): .text(text)
    case .array(let elements): .several(elements.compactMap(\.string))
    // It is there, which is all that can be asked of it.
    case .object: .flag(true)
    }
  }
}

private func text(_ text: String?) -> QueryValue {
  text.map(QueryValue.text) ?? .absent
}

/// −1 is HAR's way to say that a size is not known.
private func size(_ octets: Int) -> QueryValue {
  octets < 0 ? .absent : .number(Double(octets))
}

private func phase(_ phase: Phase, _ entry: HAREntry) -> QueryValue {
  PhaseDurations(entry.timings)[phase].map(QueryValue.number) ?? .absent
}

private func body(_ body: RecordedBody) -> QueryValue {
  switch body {
  case .octets(let octets): .text(String(decoding: octets, as: UTF8.self))
  case .empty, .notRecorded, .damaged: .absent
  }
}

/// Without its parameters, in lower case.
private func mediaType(_ text: String) -> String {
  text.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
}

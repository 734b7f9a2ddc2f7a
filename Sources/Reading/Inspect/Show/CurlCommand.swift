package import TapelineHAR
internal import TapelineBase

/// The curl command line that sends a recorded request again, byte for byte as far as curl can.
///
/// The text is for sh, bash, zsh and fish. curl adds fields of its own; the command removes those that the request did not have,
/// so curl sends what the client sent. A capture may be a stranger's: text that curl would not read as part of the request
/// is refused.
package struct CurlCommand: Sendable {
  package var method: String
  package var url: String
  package var httpVersion: String
  package var fields: [Field]
  package var body: Body

  package struct Field: Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package enum Body: Sendable, Hashable {
    case none
    case text(String)
    /// Bytes that are not text, in base64 as in the log.
    case base64(String)
  }

  package init(method: String, url: String, httpVersion: String, fields: [Field], body: Body) {
    self.method = method
    self.url = url
    self.httpVersion = httpVersion
    self.fields = fields
    self.body = body
  }

  /// Fields that curl makes itself from the URL and the body, or that were meant for the proxy.
  private static let derivedFields: Set<String> = ["host", "content-length", "proxy-connection", "proxy-authorization"]
  /// Fields that curl sends unless told not to.
  private static let curlDefaults = ["User-Agent", "Accept"]
  /// A body longer than this goes through a pipe: Linux limits a single argument to 128 KiB.
  private static let longestArgument = 100 * 1_024

  /// The command, one option per line.
  package var text: String {
    get throws(CurlRefusal) {
      try check()
      let command = (["curl"] + targetOptions + fieldOptions + bodyOptions).joined(separator: " \\\n  ")
      return pipedBody.map { "printf %s \($0.shellQuoted) | base64 -d | \(command)" } ?? command
    }
  }

  // MARK: Target

  private var targetOptions: [String] {
    var options = ["--proto '=http,https'"]
    if let methodOption { options.append(methodOption) }
    if let versionOption { options.append(versionOption) }
    // curl reads braces and brackets as patterns, and resolves dot segments, unless told not to.
    if url.contains(where: { "[]{}".contains($0) }) { options.append("--globoff") }
    if url.contains("/.") { options.append("--path-as-is") }
    options.append("--url \(url.shellQuoted)")
    return options
  }

  /// Names the method if curl would choose another one.
  private var methodOption: String? {
    switch (method, body) {
    case ("HEAD", .none): "--head"
    case ("GET", .none), ("POST", .text), ("POST", .base64): nil
    case (_, .none), (_, .text), (_, .base64): "--request \(method.shellQuoted)"
    }
  }

  /// Names the version if curl might choose another one: over TLS it negotiates HTTP/2, but not each curl.
  private var versionOption: String? {
    let isProtected = url.lowercased().hasPrefix("https:")
    return switch RecordedVersion(httpVersion).number {
    case 1: "--http1.0"
    case 1.1 where isProtected: "--http1.1"
    case 2: isProtected ? "--http2" : "--http2-prior-knowledge"
    case _: nil
    }
  }

  // MARK: Fields

  private var fieldOptions: [String] {
    let kept = sentFields
    let present = Set(kept.map { $0.name.lowercased() })
    let defaults = body == .none ? Self.curlDefaults : Self.curlDefaults + ["Content-Type", "Expect"]
    let removed = defaults.filter { !present.contains($0.lowercased()) }.map { "--header '\($0):'" }
    // `Name;` is curl's spelling of a field with an empty value; `Name:` would remove the field.
    return kept.map {
      "--header \(($0.value.allSatisfy { $0 == " " || $0 == "\t" } ? "\($0.name);" : "\($0.name): \($0.value)").shellQuoted)"
    } + removed
  }

  /// The fields that the command names.
  var sentFields: [Field] {
    let sent = fields.filter { !isDerived($0) }
    return RecordedVersion(httpVersion).number ?? 0 >= 2 ? Self.joiningCrumbs(sent) : sent
  }

  /// HTTP/2 may divide cookies into several lines; HTTP/1.1, to which curl may have to fall back, has one (RFC 9113 8.2.3).
  private static func joiningCrumbs(_ fields: [Field]) -> [Field] {
    let crumbs = fields.filter { $0.name.isSameName(as: "cookie") }
    guard crumbs.count > 1, let first = fields.firstIndex(where: { $0.name.isSameName(as: "cookie") }) else { return fields }
    var joined = fields.filter { $0.name.lowercased() != "cookie" }
    joined.insert(Field(name: crumbs[0].name, value: crumbs.map(\.value).joined(separator: "; ")), at: first)
    return joined
  }

  private func isDerived(_ field: Field) -> Bool {
    let name = field.name.lowercased()
    // A Host that differs from the URL was sent on purpose.
    if name == "host" { return field.value.lowercased() == authority?.lowercased() }
    // HTTP/2 pseudo-fields begin with a colon.
    return Self.derivedFields.contains(name) || name.hasPrefix(":")
  }

  /// Host and port as the URL spells them.
  private var authority: Substring? {
    URIRanges(url).authority.map { url[utf8: AuthorityRanges(url.utf8.span, in: $0).hostAndPort] }
  }

  // MARK: Body

  private var bodyOptions: [String] {
    switch body {
    case .none: []
    case .text(let text) where pipedBody == nil: ["--data-raw \(text.shellQuoted)"]
    case .text, .base64: ["--data-binary @-"]
    }
  }

  /// The body in base64 if it cannot be put on the command line: bytes, control characters, or too long.
  private var pipedBody: String? {
    switch body {
    case .none: nil
    case .text(let text): text.hasHiddenControls || text.utf8.count > Self.longestArgument ? Base64.encode(Array(text.utf8)) : nil
    case .base64(let text): Base64.decode(text).map(Base64.encode)
    }
  }
}

extension CurlCommand {
  /// The command for a recorded request. A tunnel has no request to send again, and curl opens no WebSocket over HTTP/2.
  package init(_ entry: HAREntry) throws(CurlRefusal) {
    let request = entry.request
    guard !request.opensWebSocketOverHTTP2 else { throw .webSocketOverHTTP2 }
    guard !request.asksForTunnel else { throw .tunnel }
    let content = RequestPayload(request)
    self.init(
      method: request.method, url: request.url, httpVersion: request.httpVersion,
      fields: request.headers.compactMap { header in
        content.value(of: header).map { Field(name: header.name, value: $0) }
      }, body: try Body(content.body))
  }
}

extension CurlCommand.Body {
  fileprivate init(_ body: LoggedBody) throws(CurlRefusal) {
    self =
      switch body {
      case .bytes(let bytes): String(validating: bytes, as: UTF8.self).map(Self.text) ?? .base64(Base64.encode(bytes))
      case .empty, .notRecorded, .inFile: .none
      case .damaged: throw .body
      }
  }
}

/// Why there is no curl command for a recorded request.
package enum CurlRefusal: Error, Hashable, CustomStringConvertible {
  /// The exchange is a tunnel, in which no request was seen.
  case tunnel
  /// curl opens WebSockets over HTTP/1.1 alone.
  case webSocketOverHTTP2
  /// curl speaks many protocols, and some of them read files.
  case scheme
  case url
  case method
  /// curl reads a name that begins with `@` as the name of a file.
  case fieldName(String)
  case fieldValue(String)
  case body

  package var description: String {
    switch self {
    case .tunnel: "it is a tunnel, in which no request was seen"
    case .webSocketOverHTTP2: "it opens a WebSocket over HTTP/2, which curl cannot"
    case .scheme: "its URL does not begin with http:// or https://"
    case .url: "its URL has control characters"
    case .method: "its method is not an HTTP method"
    case .fieldName(let name): "\"\(name)\" is not the name of a header"
    case .fieldValue(let name): "its header \(name) has a line break or a NUL, which HTTP cannot carry"
    case .body: "its body is not the base64 that it says"
    }
  }
}

extension CurlCommand {
  /// Throws if curl, or the server that curl sends to, would read this as a different request.
  func check() throws(CurlRefusal) {
    let start = url.utf8.prefix(8).map { $0 | 0x20 }
    guard start.starts(with: "http://".utf8) || start.starts(with: "https://".utf8) else { throw .scheme }
    guard !url.unicodeScalars.contains(where: \.isControl) else { throw .url }
    guard method.isToken else { throw .method }
    for field in sentFields {
      guard field.name.isToken else { throw .fieldName(field.name) }
      guard !field.value.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) else {
        throw .fieldValue(field.name)
      }
    }
    if case .base64(let text) = body, Base64.decode(text) == nil { throw .body }
  }
}

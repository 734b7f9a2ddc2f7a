internal import TapelineText

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

  /// Names the version if curl would choose another one: over TLS it negotiates HTTP/2.
  private var versionOption: String? {
    switch httpVersion.uppercased() {
    case "HTTP/1.0": "--http1.0"
    case "HTTP/1.1" where url.lowercased().hasPrefix("https:"): "--http1.1"
    default: nil
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
  var sentFields: [Field] { fields.filter { !isDerived($0) } }

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

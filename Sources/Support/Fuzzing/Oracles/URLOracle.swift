internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineBase
internal import TapelineTransport

/// References, URLs and addresses: splitting one and joining the parts changes nothing.
enum URLOracle {
  private static let base = URIReference("http://origin.example:8080/a/b?c#d")

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let text = String(validOrLatin1: input)
    try checkReference(text)
    try checkTarget(text)
    try checkProxy(text)
    _ = fields.matches(SampleEntry.make(url: text), number: 1)
  }

  private static func checkReference(_ text: String) throws(OracleViolation) {
    let reference = URIReference(text)
    try OracleViolation.requireEqual(
      URIReference(reference.text), reference, "a reference that is written is read as it was: \(text.debugDescription)")
    let target = reference.resolved(against: base)
    try OracleViolation.require(target.scheme != nil, "what is resolved is absolute")
    try OracleViolation.requireEqual(target.resolved(against: base), target, "what is resolved needs no base any more")
    guard target.path.hasPrefix("/") else { return }
    let hasDots = target.path.split(separator: "/", omittingEmptySubsequences: false).contains { $0 == "." || $0 == ".." }
    try OracleViolation.require(!hasDots, "a resolved path has no dot segments: \(target.path.debugDescription)")
  }

  /// A target in absolute-form, as text and as bytes.
  private static func checkTarget(_ text: String) throws(OracleViolation) {
    guard let head = requestHead(text), case .absolute(let target) = head.target else { return }
    guard let again = requestHead(target.sanitizedText), case .absolute(let same) = again.target else {
      throw OracleViolation("a target without userinfo is a target: \(target.sanitizedText.debugDescription)")
    }
    try OracleViolation.require(!same.hasUserinfo, "a sanitized target has no userinfo")
    try OracleViolation.requireEqual(same.sanitizedText, target.sanitizedText, "a sanitized target stays as it is")
    try OracleViolation.requireEqual(same.host, target.host, "a sanitized target has the host")
    try OracleViolation.requireEqual(same.port, target.port, "a sanitized target has the port")
    try checkOtherReaders(of: text, target)
  }

  /// The other URL parsers find the host and port to which the codec would send the request, or refuse the URL.
  private static func checkOtherReaders(of text: String, _ target: AbsoluteTarget) throws(OracleViolation) {
    let host = target.host.withoutCapitals
    if let range = URIRanges(text).authority, let authority = Authority(text.utf8.span, in: range) {
      try OracleViolation.requireEqual(authority.host, host, "an authority has the target's host")
      if let port = authority.port { try OracleViolation.requireEqual(port, target.port, "an authority has the target's port") }
    }
    guard target.scheme == .http || target.scheme == .https, let url = RequestURL(text) else { return }
    try OracleViolation.requireEqual(url.host, host, "an entry's URL has the target's host")
    try OracleViolation.requireEqual(url.port, Int(target.port), "an entry's URL has the target's port")
  }

  private static func requestHead(_ target: String) -> RequestHead? {
    do throws(HTTPParseError) {
      return try RequestHead(method: .get, target: target)
    } catch {
      return nil
    }
  }

  private static func checkProxy(_ text: String) throws(OracleViolation) {
    do throws(UpstreamProxyError) {
      let exceptions = try ProxyExceptions(parsing: text)
      _ = exceptions.matches(host: "api.origin.example", port: 8080)
      _ = exceptions.matches(host: "2001:db8::1", port: 443)
    } catch {
      // The refusal has a message, as it must.
    }
    guard let proxy = proxy(text) else { return }
    guard let again = self.proxy(proxy.description) else {
      throw OracleViolation("a proxy's description is one: \(proxy.description.debugDescription)")
    }
    try OracleViolation.requireEqual(again.host, proxy.host, "a proxy's description has its host")
    try OracleViolation.requireEqual(again.port, proxy.port, "a proxy's description has its port")
  }

  private static func proxy(_ text: String) -> UpstreamProxy? {
    do throws(UpstreamProxyError) {
      return try UpstreamProxy(parsing: text)
    } catch {
      return nil
    }
  }

  /// Reads every part of a URL.
  private static let fields: Query = {
    do throws(QueryError) {
      return try Query("scheme == \"a\" or host == \"b\" or port == 1 or path == \"/c\"")
    } catch {
      preconditionFailure("a query of our own can be read: \(error)")
    }
  }()
}

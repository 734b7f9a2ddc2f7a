internal import FoundationEssentials
internal import TapelineCore
internal import TapelineHAR
internal import TapelineRecorder

/// Cookies as a capture gets them: for any field value, the capture stays JSON, and each cookie stays one cookie.
enum CookieOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let pairs = try cookies { CookieWriter.append(cookies: input.span, to: &$0) }
    let expected = input.split(separator: UInt8(ascii: ";")).count { pair in !pair.allSatisfy(isBlank) }
    try OracleViolation.requireEqual(pairs.count, expected, "each pair of Cookie is a cookie")
    let set = try cookies { CookieWriter.append(setCookie: input.span, to: &$0) }
    try OracleViolation.requireEqual(set.count, 1, "a Set-Cookie line is one cookie")
    if let first = pairs.first, input.prefix(while: { $0 != UInt8(ascii: ";") }).contains(where: { !isBlank($0) }) {
      try OracleViolation.requireEqual(set[0]["name"], first["name"], "the name is read alike")
      try OracleViolation.requireEqual(set[0]["value"], first["value"], "the value is read alike")
    }
    try checkKept(String(decoding: input, as: UTF8.self))
  }

  /// A session keeps exactly one pair of a `Set-Cookie` line, for the line's host.
  private static func checkKept(_ field: String) throws(OracleViolation) {
    let cookie = HTTPCookie(
      field: field, host: "www.example.com", path: "/a/b", isSecureOrigin: true, now: Date(timeIntervalSince1970: 0))
    guard let cookie else { return }
    try OracleViolation.require(!cookie.name.isEmpty, "a cookie has a name")
    try OracleViolation.require(!"\(cookie.name)=\(cookie.value)".contains(";"), "what is sent is one pair")
    try OracleViolation.require("www.example.com".hasSuffix(cookie.domain), "a host sets cookies for itself and its domain")
    try OracleViolation.require(cookie.path.hasPrefix("/"), "a path begins with a slash")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func cookies(_ write: (inout JSONWriter) -> Void) throws(OracleViolation) -> [HARValue] {
    var writer = JSONWriter()
    writer.append(byte: UInt8(ascii: "["))
    write(&writer)
    writer.append(byte: UInt8(ascii: "]"))
    let bytes = writer.bytes
    do throws(HARReadError) {
      return try HARValue(json: bytes.span).array ?? []
    } catch {
      throw OracleViolation("cookies are written as JSON: \(error): \(String(validOrLatin1: bytes))")
    }
  }
}

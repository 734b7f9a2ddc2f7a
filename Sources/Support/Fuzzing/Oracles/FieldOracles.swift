internal import FoundationEssentials
internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineRecorder
internal import TapelineBase
internal import TapelineTransport

/// Challenges to authenticate: the answer is one field value with the parameters that the challenge asked for.
enum ChallengeOracle {
  private static let credential = Credential(user: "Jäsøn \"Doe\"", password: "open\\sesame")

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    // A field value cannot have these bytes: the parser refuses a head that contains them.
    let value = String(validOrLatin1: input.filter { $0 != 0 && $0 != 0x0A && $0 != 0x0D })
    let fields: HeaderFields = ["WWW-Authenticate": value, "Authentication-Info": value]
    let challenges = AuthenticationChallenge.challenges(in: fields, from: .origin)
    try OracleViolation.require(challenges.count <= input.count, "there are no more challenges than bytes")

    var responder = ChallengeResponder(credential)
    guard responder.learn(challenges, answered: false) else { return }
    try checkAnswer(&responder, to: challenges)
    responder.learn(from: fields, of: .origin)
    guard responder.fieldValue(method: "GET", uri: "/") != nil else {
      throw OracleViolation("what was answered is answered again")
    }
  }

  private static func checkAnswer(
    _ responder: inout ChallengeResponder, to challenges: [AuthenticationChallenge]
  ) throws(OracleViolation) {
    guard let answer = responder.fieldValue(method: "GET", uri: "/a?b=\"c\"") else {
      throw OracleViolation("what can be answered is answered")
    }
    try OracleViolation.require(
      !answer.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }, "an answer is one field value: \(answer.debugDescription)")
    guard responder.isDigest else { return }
    let read = AuthenticationChallenge.challenges(in: ["WWW-Authenticate": answer], from: .origin)
    guard read.count == 1, let read = read.first, read.scheme == "digest" else {
      throw OracleViolation("an answer is one set of parameters: \(answer.debugDescription)")
    }
    let isAsked = challenges.contains {
      $0.scheme == "digest" && $0.realm == read.realm && $0["nonce"] == read["nonce"] && $0["opaque"] == read["opaque"]
        && $0["algorithm"] == read["algorithm"]
    }
    try OracleViolation.require(isAsked, "an answer has realm, nonce, opaque and algorithm as asked: \(answer.debugDescription)")
    try OracleViolation.requireEqual(read["uri"], "/a?b=\"c\"", "an answer has the target")
  }
}

/// Cookies as a capture gets them: for any field value, the capture stays JSON, and each cookie stays one cookie.
enum CookieOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let pairs = try cookies { CookieWriter.append(cookies: input.span, to: &$0) }
    let expected = input.split(separator: UInt8(ascii: ";")).count { pair in !pair.allSatisfy(Byte.isBlank) }
    try OracleViolation.requireEqual(pairs.count, expected, "each pair of Cookie is a cookie")
    let set = try cookies { CookieWriter.append(setCookie: input.span, to: &$0) }
    try OracleViolation.requireEqual(set.count, 1, "a Set-Cookie line is one cookie")
    if let first = pairs.first, input.prefix(while: { $0 != UInt8(ascii: ";") }).contains(where: { !Byte.isBlank($0) }) {
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

/// The languages in which people write queries, rules and limits: an error has a place in the text.
enum QueryOracle {
  private static let entry = SampleEntry.make(url: "https://origin.example/a?b=c")

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let text = String(validOrLatin1: input)
    do throws(QueryError) {
      let query = try Query(text)
      // A user's own pattern may take any time.
      if !text.contains("~") { _ = query.matches(entry, number: 1) }
    } catch {
      try checkPlace(of: error, in: text)
    }
    do throws(QueryError) {
      _ = try Assertion(text)
    } catch {
      try checkPlace(of: error, in: text)
    }
    do throws(QueryError) {
      _ = try DifferenceLimit(text)
    } catch {
      try checkPlace(of: error, in: text)
    }
  }

  private static func checkPlace(of error: QueryError, in text: String) throws(OracleViolation) {
    try OracleViolation.require(
      (0...text.count).contains(error.offset), "column \(error.column) is outside \(text.debugDescription)")
    let excerpt = error.excerpt(of: text)
    try OracleViolation.requireEqual(excerpt.count, 2, "the excerpt is the text and a caret")
    try OracleViolation.require(!error.remedy.isEmpty, "an error says what to do")
  }
}

internal import TapelineHTTP
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

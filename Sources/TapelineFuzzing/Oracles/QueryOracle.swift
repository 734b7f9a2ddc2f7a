internal import TapelineHAR
internal import TapelineInspect

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
      (0...text.count).contains(error.offset), "column \(error.column) is none of \(text.debugDescription)")
    let excerpt = error.excerpt(of: text)
    try OracleViolation.requireEqual(excerpt.count, 2, "the excerpt is the text and a caret")
    try OracleViolation.require(!error.remedy.isEmpty, "an error says what to do")
  }
}

internal import TapelineHAR
internal import TapelineRedaction
internal import TapelineSystem

/// Redaction of bodies of any type: a log stays a log, JSON stays JSON, and the time is in proportion to the text.
enum RedactionOracle {
  /// The first byte chooses the type of the body.
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    guard let first = input.first else { return }
    let type = types[Int(first) % types.count]
    let text = String(validOrLatin1: Array(input.dropFirst()))
    var entry = sample(text, type)
    var redactor = EntryRedactor()
    _ = redactor.redact(&entry)
    try OracleViolation.requireEqual(
      try read(entry).response.content, entry.response.content, "what is redacted is read as it was")
    if type == "application/json", isJSON(text) {
      try OracleViolation.require(
        isJSON(entry.response.content.text ?? ""), "JSON stays JSON: \(entry.response.content.text ?? "")")
    }
    try checkTime(of: text, type)
  }

  private static let types = [
    "application/json", "text/html", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
    "application/xml",
  ]

  private static func sample(_ text: String, _ type: String) -> HAREntry {
    var entry = SampleEntry.make(url: "http://h/?token=aaaabbbb1aaaabbbb2")
    entry.response.content = HARContent(size: text.utf8.count, mimeType: type, text: text)
    return entry
  }

  private static func read(_ entry: HAREntry) throws(OracleViolation) -> HAREntry {
    do throws(HARReadError) {
      return try HAREntry(json: entry.json)
    } catch {
      throw OracleViolation("what is redacted can be read: \(error)")
    }
  }

  private static func isJSON(_ text: String) -> Bool {
    do throws(HARReadError) {
      _ = try HARValue(json: Array(text.utf8).span)
      return true
    } catch {
      return false
    }
  }

  // MARK: Time

  private static let copies = (few: 8, many: 128)
  /// Sixteen times the text may cost four times as much per byte; quadratic time would cost sixteen times as much.
  private static let bound = 4.0
  private static let attempts = 5

  /// Compares few and many repetitions of the text: each byte costs the same.
  private static func checkTime(of text: String, _ type: String) throws(OracleViolation) {
    guard text.utf8.count >= 64 else { return }
    var least = (few: Double.infinity, many: Double.infinity)
    for _ in 0..<attempts {
      least.few = min(least.few, secondsPerByte(String(repeating: text, count: copies.few), type))
      least.many = min(least.many, secondsPerByte(String(repeating: text, count: copies.many), type))
      if least.many <= least.few * bound { return }
    }
    throw OracleViolation("each byte costs the same, however many there are: \(least)")
  }

  /// CPU time of this thread, which a busy machine does not affect.
  private static func secondsPerByte(_ text: String, _ type: String) -> Double {
    var entry = sample(text, type)
    var redactor = EntryRedactor()
    let start = threadSeconds()
    _ = redactor.redact(&entry)
    return (threadSeconds() - start) / Double(text.utf8.count)
  }

  private static func threadSeconds() -> Double {
    Double(SystemClock.threadNanoseconds) / 1e9
  }
}

/// An exchange to test conditions on.
enum SampleEntry {
  static func make(url: String) -> HAREntry {
    HAREntry(
      startedDateTime: "2026-11-21T12:00:00.000Z", time: 12.5,
      request: HARRequest(
        method: "GET", url: url, httpVersion: "HTTP/1.1", headers: [HARHeader(name: "Accept", value: "*/*")], headersSize: 100,
        bodySize: 0),
      response: HARResponse(
        status: 200, statusText: "OK", httpVersion: "HTTP/1.1", headers: [HARHeader(name: "Content-Length", value: "3")],
        content: HARContent(size: 3, mimeType: "text/plain", text: "abc"), headersSize: 50, bodySize: 3),
      timings: HARTimings(blocked: 0.5, send: 1, wait: 10, receive: 1))
  }
}

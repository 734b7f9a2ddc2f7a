@testable import TapelineOffline
import TapelineFuzzing
import TapelineHAR
import TapelineTestSupport
import Testing

private final class Output {
  private(set) var bytes: [UInt8] = []

  func append(_ piece: Span<UInt8>) {
    for index in piece.indices { bytes.append(piece[index]) }
  }
}

/// A capture in which one value has become another one: every command that reads captures gets to its end.
@Suite("Captures with odd values")
struct MutatedCaptureTests {
  private static let capture = #"""
    {"log":{"version":"1.2","creator":{"name":"x","version":"1"},"_dropped":{"bodies":3},
    "pages":[{"id":"p","startedDateTime":"2026-11-21T12:00:00Z","title":"t","pageTimings":{"onLoad":5}}],
    "entries":[{"pageref":"p","startedDateTime":"2026-11-21T12:00:00.000Z","time":1.5,
    "request":{"method":"POST","url":"http://u:p@a.example/b?c=d","httpVersion":"HTTP/1.1","cookies":[],
    "headers":[{"name":"Accept","value":"*/*"}],"queryString":[],
    "postData":{"mimeType":"text/plain","text":"password=x","params":[],"_truncated":5},"headersSize":-1,"bodySize":14},
    "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[{"name":"a","value":"b"}],
    "headers":[{"name":"Content-Type","value":"text/event-stream"}],
    "content":{"size":3,"compression":0,"mimeType":"text/event-stream","text":"YWJj","encoding":"base64","_truncated":2},
    "redirectURL":"","headersSize":20,"bodySize":3,"_transferSize":23},
    "cache":{"beforeRequest":{"lastAccess":"2026-11-21T12:00:00Z","eTag":"","hitCount":1}},
    "timings":{"blocked":0.5,"dns":-1,"connect":-1,"ssl":-1,"send":0,"wait":1,"receive":0},
    "serverIPAddress":"127.0.0.1","connection":"1","_redacted":1,"_exchangeId":4,"_attempts":2,"_streamId":5,
    "_chunks":[{"ts":1000,"bytes":2},{"ts":2000,"bytes":1}],"_overhead":{"request":0.1,"response":0.1},
    "_webSocketMessages":[{"type":"send","time":1.5,"opcode":1,"data":"a","_size":1}],
    "_tcp":{"server":{"rtt":3,"retransmits":1,"series":[{"ts":1,"rtt":2,"retransmits":1}]}},
    "_grpc":{"status":0,"requestMessages":1,"responseMessages":2},"_blocked":{"client":1}}]}}
    """#

  private static let numbers = [
    "1e+30", "-1e30", "1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9007199254740993", "-1",
    "99",
    "1000", "0.5", "-0",
  ].compactMap { HARNumber(text: $0).map(HARValue.number) }

  private static let others: [HARValue] = [.null, .bool(true), .array([]), .object([:]), "9223372036854775807", "-9e99"]

  /// Every value with one of its values replaced, wherever it lies.
  private static func mutations(of value: HARValue, by replacements: [HARValue]) -> [HARValue] {
    switch value {
    case .null, .bool, .number: return replacements
    case .string: return [replacements[0], .null]
    case .array(let elements):
      return [.null]
        + elements.indices.flatMap { index in
          mutations(of: elements[index], by: replacements).map { replacement in
            var changed = elements
            changed[index] = replacement
            return .array(changed)
          }
        }
    case .object(let object):
      return [.null]
        + object.members.indices.flatMap { index in
          mutations(of: object.members[index].value, by: replacements).map { replacement in
            var changed = object
            changed.members[index].value = replacement
            return .object(changed)
          }
        }
    }
  }

  /// What can be repaired, and was not.
  private static func findings(afterRepairOf bytes: [UInt8]) throws -> [HARFinding] {
    var lint = HARLint()
    do throws(HARReadError) {
      try lint.feed(bytes.span) { _ in }
      try lint.finish { _ in }
    } catch {
      return []
    }
    let output = Output()
    var repair = HARRepair(lint) { (piece) throws(Never) in output.append(piece) }
    try repair.feed(bytes.span)
    try repair.finish()
    var again = HARLint()
    var findings: [HARFinding] = []
    try again.feed(output.bytes.span) { findings.append($0) }
    try again.finish { findings.append($0) }
    return findings.filter(\.isFixable)
  }

  @Test("No value of a capture ends a command")
  func anyValue() throws {
    let capture = try HARValue(json: Array(Self.capture.utf8).span)
    let files = try TemporaryDirectory()
    let mutations = Self.mutations(of: capture, by: Self.numbers + Self.others)
    #expect(mutations.count > 700)
    // Each place becomes some of them, and each of them is in some places.
    for number in stride(from: 0, to: mutations.count, by: 5) {
      // Some readers take a blank for a part of the number behind it.
      let bytes = Array(String(decoding: mutations[number].json, as: UTF8.self).replacing("\":", with: "\": ").utf8)
      #expect(throws: Never.self) { try FuzzTarget.captures.check(bytes) }
      #expect(try Self.findings(afterRepairOf: bytes) == [])
      let log = try files.write(String(decoding: bytes, as: UTF8.self), to: "\(number).har")
      try? Merging.merge([log, log], to: files.path("merged.har"), replacing: true, version: "1")
      let settings = ImportSettings(
        output: files.path("imported.har"), replaces: true, redactionFiles: [], keepsSecrets: false, bodyLimit: 1 << 20,
        isQuiet: true, version: "0")
      try? HARImport(log, settings).run()
    }
  }
}

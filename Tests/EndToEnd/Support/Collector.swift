import Synchronization
import TapelineTestSupport
import Testing

/// A span as a program reads it that is not ours.
struct ReceivedSpan: Hashable {
  let tree: JSONTree

  subscript(name: String) -> JSONTree? { tree["attributes"]?[name] }

  var name: String { tree["name"]?.string ?? "" }
  var id: String { tree["id"]?.string ?? "" }
  var trace: String { tree["trace"]?.string ?? "" }
  var parent: String { tree["parent"]?.string ?? "" }
  /// Nanoseconds since 1970.
  var start: Int { Int(tree["start"]?.string ?? "") ?? -1 }
  var end: Int { Int(tree["end"]?.string ?? "") ?? -1 }
  var isExchange: Bool { tree["kind"]?.string == "CLIENT" }
  /// The span that it is linked to.
  var link: String? { tree["links"]?.elements.first?["id"]?.string }

  /// Everything that does not depend on the machine on which the export ran.
  var portable: JSONTree {
    guard case .object(var members) = tree else { return tree }
    members["resource"] = nil
    return .object(members)
  }
}

/// An OTLP collector: takes what comes and has it decoded by `opentelemetry-proto`.
final class Collector: Sendable {
  let origin: ScriptedOrigin

  static let taken: [UInt8] = response("200 OK")

  static func response(_ status: String, fields: [String] = [], body: [UInt8] = []) -> [UInt8] {
    .response(status, fields: ["Content-Type: application/x-protobuf"] + fields, body: body)
  }

  /// - Parameter answer: the answer to the request with this number, counted from 0.
  init(_ answer: @escaping @Sendable (Int) -> [UInt8] = { _ in taken }) throws {
    let count = Mutex(0)
    origin = try ScriptedOrigin([
      .forever([
        .answer { _ in
          answer(
            count.withLock { count in
              defer { count += 1 }
              return count
            })
        }
      ])
    ])
  }

  var url: String { "http://\(origin.authority)" }

  /// The spans of all requests, or of those that `isTaken` says were answered with success.
  func spans(where isTaken: (Int) -> Bool = { _ in true }) throws -> [ReceivedSpan] {
    let requests = origin.requests.filter { $0.startLine.contains("/v1/traces") }
    let bodies = requests.enumerated().filter { isTaken($0.offset) }.map(\.element.body)
    return try Self.decode(bodies)
  }

  /// The points of the metrics in the requests for them.
  func points() throws -> [JSONTree] {
    let directory = try TemporaryDirectory()
    let bodies = origin.requests.filter { $0.startLine.contains("/v1/metrics") }.map(\.body)
    let paths = try bodies.enumerated().map { number, body in try directory.write(body, to: "\(number).pb") }
    let decoder = try laboratory(["otlp-decode", "--metrics"] + paths)
    #expect(try decoder.wait(seconds: 60).isSuccess, "\(decoder.errorText)")
    return try JSONTree(parsing: decoder.standardOutput).elements
  }

  static func decode(_ bodies: [[UInt8]]) throws -> [ReceivedSpan] {
    let directory = try TemporaryDirectory()
    let paths = try bodies.enumerated().map { number, body in try directory.write(body, to: "\(number).pb") }
    let decoder = try laboratory(["otlp-decode"] + paths)
    let status = try decoder.wait(seconds: 60)
    #expect(status.isSuccess, "\(decoder.errorText)")
    let spans = try JSONTree(parsing: decoder.standardOutput).elements
    #expect(spans.allSatisfy { $0["unknown"] == .number(0) }, "a field that the schema does not have")
    return spans.map { ReceivedSpan(tree: $0) }
  }
}

/// What holds for the spans of a log: each exchange is there once, its phases lie within it and add up to its time.
func expectModel(_ spans: [ReceivedSpan], of log: RecordedLog, sourceLocation: SourceLocation = #_sourceLocation) {
  let exchanges = spans.filter(\.isExchange)
  #expect(exchanges.count == log.entries.count, sourceLocation: sourceLocation)
  #expect(Set(spans.map(\.id)).count == spans.count, "identifiers differ", sourceLocation: sourceLocation)
  let byNumber = Dictionary(grouping: exchanges) { $0["tapeline.exchange.id"] }
  for entry in log.entries {
    guard let span = byNumber[entry.tree["_exchangeId"]]?.first else {
      Issue.record("no span for \(entry.url)", sourceLocation: sourceLocation)
      continue
    }
    let phases = spans.filter { $0.parent == span.id }
    let sum = phases.reduce(0) { $0 + $1.end - $1.start }
    #expect(abs(sum - Int((entry.time * 1e6).rounded())) <= 1_000, "\(entry.url)", sourceLocation: sourceLocation)
    #expect(phases.allSatisfy { $0.trace == span.trace }, sourceLocation: sourceLocation)
  }
  let byID = Dictionary(spans.map { ($0.id, $0) }) { first, _ in first }
  for span in spans {
    #expect(span.start <= span.end, "\(span.name)", sourceLocation: sourceLocation)
    guard let parent = byID[span.parent] else { continue }
    #expect(parent.start <= span.start && span.end <= parent.end, "\(span.name)", sourceLocation: sourceLocation)
  }
}

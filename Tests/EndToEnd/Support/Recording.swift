import TapelineTestSupport
import Testing

/// Runs `tapeline record` around `body` and returns what it has recorded. Whatever the test is about, the program must end with
/// status 0 when interrupted, and its HAR must keep every rule.
func recording(
  _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation, _ body: (TapelineProcess) throws -> Void
) throws -> Recording {
  let proxy = try TapelineProcess(options)
  do {
    try body(proxy)
  } catch {
    Issue.record("the proxy wrote: \(proxy.process.errorText)", sourceLocation: sourceLocation)
    throw error
  }
  let status = try proxy.stop()
  #expect(status == .exited(0), "the proxy wrote: \(proxy.process.errorText)", sourceLocation: sourceLocation)
  let log = try RecordedLog(contentsOf: proxy.harPath)
  #expect(violations(in: log) == [], sourceLocation: sourceLocation)
  return Recording(log: log, proxy: proxy)
}

/// Keeps the files as long as the test looks at them.
struct Recording {
  let log: RecordedLog
  let proxy: TapelineProcess

  /// In the order of the log: exchanges of two loops end in any order.
  var entries: [RecordedEntry] { log.entries }
  /// In the order in which the requests came.
  var entriesAsTheyCame: [RecordedEntry] {
    entries.sorted { ($0.tree["_exchangeId"]?.integer ?? 0) < ($1.tree["_exchangeId"]?.integer ?? 0) }
  }

  func entry(
    _ suffix: String, method: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> RecordedEntry {
    try log.entry(suffix, method: method, sourceLocation: sourceLocation)
  }
}

extension TapelineProcess {
  /// Runs curl through this proxy to its end.
  func curl(_ arguments: [String], input: [UInt8] = [], seconds: Int64 = 60) throws -> TestProcess {
    let curl = try TestProcess("curl", ["-sS", "--proxy", url, "--noproxy", ""] + arguments, input: input)
    try curl.wait(seconds: seconds)
    return curl
  }

  /// Runs a client that takes its proxy from the environment, to its successful end.
  @discardableResult
  func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], seconds: Int64 = 60,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TestProcess {
    let client = try TestProcess(program, arguments, environment: self.environment.merging(environment) { $1 })
    let status = try client.wait(seconds: seconds)
    #expect(status.isSuccess, "\(program): \(client.errorText)", sourceLocation: sourceLocation)
    return client
  }

  /// A request in absolute-form by hand.
  func request(_ text: String) throws -> RawClient {
    let client = try connect()
    try client.send(text)
    return client
  }
}

extension [UInt8] {
  /// A whole response with a length.
  static func response(_ status: String = "200 OK", fields: [String] = [], body: [UInt8]) -> [UInt8] {
    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
    return Array(lines.joined(separator: "\r\n").utf8) + body
  }
}

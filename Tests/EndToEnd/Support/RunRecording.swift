import TapelineTestSupport
import Testing

/// What `tapeline run` recorded of one command.
struct RunRecording {
  let process: TestProcess
  let log: RecordedLog
  let harPath: String
  /// Keeps the files as long as the test looks at them.
  private let directory: TemporaryDirectory

  var entries: [RecordedEntry] { log.entries }
  /// What is not a tunnel.
  var exchanges: [RecordedEntry] { entries.filter { $0.method != "CONNECT" } }

  /// Runs `command` with interception; servers are trusted by `authority`. The HAR must keep every rule.
  ///
  /// - Parameter launcher: a command that starts tapeline.
  init(
    trusting authority: TestAuthority, through launcher: [String] = [], options: [String] = [], _ command: [String],
    environment: [String: String] = [:], seconds: Int64 = 60, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    directory = try TemporaryDirectory()
    let har = directory.path("capture.har")
    let words =
      try launcher + [TapelineProcess.binary, "run", "-o", har, "--ca-dir", directory.path("authority")]
      + ["--upstream-ca", authority.certificate] + options + ["--"] + command
    process = try TestProcess(words[0], Array(words[1...]), environment: environment)
    let status = try process.wait(seconds: seconds)
    #expect(status.isSuccess, "\(command[0]): \(process.errorText)\(process.outputText)", sourceLocation: sourceLocation)
    log = try RecordedLog(contentsOf: har)
    harPath = har
    #expect(violations(in: log) == [], sourceLocation: sourceLocation)
    try HARValidators.expectAccepted(har, sourceLocation: sourceLocation)
  }

  func entry(
    _ suffix: String, method: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> RecordedEntry {
    try log.entry(suffix, method: method, sourceLocation: sourceLocation)
  }
}

/// An exchange inside TLS that paid for its connection: `ssl` lies within `connect`, and the connection is described.
func expectDecrypted(_ entry: RecordedEntry, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(entry.url.hasPrefix("https://localhost:"), sourceLocation: sourceLocation)
  #expect(entry.phase("connect") >= entry.phase("ssl"), sourceLocation: sourceLocation)
  #expect(entry.phase("ssl") > 0, sourceLocation: sourceLocation)
  #expect(entry.tls?["version"]?.string?.hasPrefix("TLSv1.") == true, "\(entry.tree)", sourceLocation: sourceLocation)
  #expect(entry.tls?["cipher"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
  #expect(entry.error == nil, "\(entry.tree)", sourceLocation: sourceLocation)
}

/// One that found a connection.
func expectReused(_ entry: RecordedEntry, sourceLocation: SourceLocation = #_sourceLocation) {
  for name in ["dns", "connect", "ssl"] {
    #expect(entry.phase(name) == -1, "\(name)", sourceLocation: sourceLocation)
  }
}

extension RecordedEntry {
  /// The connection with the server; of a tunnel, what its handshake shows in clear.
  var tls: JSONTree? { tree["_tls"] }
  /// The connection with the client, where it was intercepted.
  var clientTLS: JSONTree? { tree["_clientTLS"] }
  var comment: String? { tree["comment"]?.string }
}

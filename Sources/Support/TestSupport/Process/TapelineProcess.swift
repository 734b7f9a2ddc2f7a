internal import TapelineSystem

/// The built program, proxying and recording on an ephemeral loopback port.
package final class TapelineProcess: Sendable {
  package let process: TestProcess
  package let port: UInt16
  package let harPath: String
  package let portFile: String
  private let directory: TemporaryDirectory
  /// Whether `process` is `faketime`, which changes the program's clock, and not the program itself.
  private let isWrapped: Bool

  /// Starts `tapeline record` with `options` and waits until it reports that it listens.
  ///
  /// - Parameter clockRate: how many seconds pass for the program in one of ours. `faketime` changes its clocks and its waits, so
  ///   that a minute of silence is over soon; peers have the machine's time.
  package init(
    _ options: [String] = [], environment: [String: String] = [:], clockRate: Int = 1
  ) throws(TestSupportError) {
    directory = try TemporaryDirectory()
    harPath = directory.path("capture.har")
    portFile = directory.path("port")
    isWrapped = clockRate != 1
    let command =
      [try Self.binary, "record", "--listen", "127.0.0.1:0", "--port-file", portFile, "--output", harPath] + options
    let wrapped = isWrapped ? ["faketime", "-m", "-f", "+0 x\(clockRate)"] + command : command
    process = try TestProcess(wrapped[0], Array(wrapped.dropFirst()), environment: environment)
    let line = try process.waitForErrorLine(containing: "listening on")
    port = try portShown(in: line)
  }

  /// The path of the program: `TAPELINE_BINARY`, or next to the running test bundle.
  package static var binary: String {
    get throws(TestSupportError) {
      if let path = environmentVariable("TAPELINE_BINARY") { return path }
      return "\(try directoryOfThisProgram())/tapeline"
    }
  }

  package var url: String { "http://127.0.0.1:\(port)" }

  /// Variables that send a client through this proxy, including loopback traffic.
  package var environment: [String: String] {
    var variables: [String: String] = [:]
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"] { variables[name] = url }
    return variables
  }

  package func connect(patience: Int64 = 10) throws(TestSupportError) -> RawClient {
    try RawClient(port: port, patience: patience)
  }

  /// Asks the program to end, as Ctrl-C does, and waits for its end.
  package func stop(seconds: Int64 = 10) throws(TestSupportError) -> ProgramEnd {
    if isWrapped {
      // `faketime` waits for its child and ends with the child's status; it passes no signals on.
      let children = try readText("/proc/\(process.id)/task/\(process.id)/children").split(separator: " ")
      for child in children.compactMap({ Int32($0) }) { ProcessSignal.send(ProcessSignal.interrupt, to: child) }
    } else {
      process.signal(ProcessSignal.interrupt)
    }
    return try process.wait(seconds: seconds)
  }
}

/// Reads `tapeline: listening on 127.0.0.1:8888, recording to capture.har`.
private func portShown(in line: String) throws(TestSupportError) -> UInt16 {
  let words = line.split(separator: " ")
  guard let on = words.firstIndex(of: "on"), on + 1 < words.endIndex,
    let text = words[on + 1].split(separator: ":").last, let port = UInt16(text.filter(\.isNumber))
  else { throw .malformed("no port in: \(line)") }
  return port
}

private func directoryOfThisProgram() throws(TestSupportError) -> String {
  do throws(SystemCallError) {
    let parts = try SystemCalls.realPath(of: "/proc/self/exe").split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast().joined(separator: "/")
  } catch {
    throw TestSupportError(error)
  }
}

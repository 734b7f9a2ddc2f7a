internal import TapelineSystem

/// nghttpd on an ephemeral loopback port: serves a directory's files over HTTP/2 alone, with TLS or by prior knowledge in clear.
package final class NghttpServer: Sendable {
  package let port: UInt16
  /// The directory that holds the file for `/NAME`.
  package let files: String
  private let isSecure: Bool
  private let directory: TemporaryDirectory
  private let process: TestProcess

  /// - Parameters:
  ///   - identity: its certificate; without one it speaks in clear.
  ///   - options: more options of nghttpd.
  package init(identity: TestIdentity? = nil, options: [String] = []) throws(TestSupportError) {
    let directory = try TemporaryDirectory()
    self.directory = directory
    files = try directory.makeDirectory("files")
    isSecure = identity != nil
    let words = ["--verbose", "--address=127.0.0.1", "--htdocs=\(files)"] + options
    (process, port) = try startNghttpd(words, identity: identity)
  }

  deinit {
    process.signal(ProcessSignal.terminate)
  }

  /// With the name for which certificates of tests are made.
  package func url(_ path: String) -> String { "http\(isSecure ? "s" : "")://localhost:\(port)\(path)" }

  /// Puts a file where `/name` serves it.
  package func serve(_ bytes: [UInt8], as name: String) throws(TestSupportError) {
    try directory.write(bytes, to: "files/\(name)")
  }

  /// Every frame that passed.
  package var log: String { process.outputText }
}

/// As with nginx: a free port is looked up first.
private func startNghttpd(_ words: [String], identity: TestIdentity?) throws(TestSupportError) -> (TestProcess, UInt16) {
  var complaint = ""
  for _ in 0..<5 {
    let port = try ListeningSocket(on: .v4, backlog: 1).port
    let place = identity.map { ["\(port)", $0.key, $0.certificate] } ?? ["--no-tls", "\(port)"]
    let process = try TestProcess("nghttpd", words + place, environment: ["PATH": pathWithServers()])
    do throws(TestSupportError) {
      _ = try process.waitForOutputLine(containing: "listen", seconds: 5)
      return (process, port)
    } catch {
      complaint = process.errorText
    }
  }
  throw .program("nghttpd did not start: \(complaint)")
}

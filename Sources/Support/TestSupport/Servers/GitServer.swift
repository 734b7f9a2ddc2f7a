/// Serves git repositories by git's own `http-backend` (the "smart" protocol), one CGI run per request.
package final class GitServer: Sendable {
  private let origin: ScriptedOrigin

  /// Serves the repositories below the directory `root`.
  package init(root: String) throws(TestSupportError) {
    origin = try ScriptedOrigin([
      .forever([
        .run { connection in
          let request = try connection.receiveRequest()
          try connection.send(try runBackend(for: request, root: root))
        }
      ])
    ])
  }

  package var connections: [OriginConnection] { origin.connections }

  package var port: UInt16 { origin.port }

  package func url(_ path: String) -> String { origin.url(path) }
}

/// The parts of RFC 3875 that `git http-backend` needs.
private func runBackend(for request: RawMessage, root: String) throws(TestSupportError) -> [UInt8] {
  let words = request.startLine.split(separator: " ")
  guard words.count == 3 else { throw .malformed("request line: \(request.startLine)") }
  let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
  let backend = try TestProcess(
    "git", ["http-backend"],
    environment: [
      "GIT_PROJECT_ROOT": root, "GIT_HTTP_EXPORT_ALL": "1",
      "REQUEST_METHOD": String(words[0]), "PATH_INFO": String(target[0]),
      "QUERY_STRING": target.count > 1 ? String(target[1]) : "",
      "CONTENT_TYPE": request.value(of: "Content-Type") ?? "", "CONTENT_LENGTH": "\(request.body.count)",
      "HTTP_CONTENT_ENCODING": request.value(of: "Content-Encoding") ?? "",
      "GIT_PROTOCOL": request.value(of: "Git-Protocol") ?? "", "REMOTE_ADDR": "127.0.0.1",
    ],
    input: request.body)
  guard try backend.wait().isSuccess else { throw .program("git http-backend: \(backend.errorText)") }

  let output = backend.standardOutput
  guard let end = output.firstRange(of: Array("\r\n\r\n".utf8)) else { throw .malformed("CGI output without an empty line") }
  let fields = fieldLines(of: Array(output[..<end.lowerBound]), skippingStartLine: false)
  let status = fields.first { $0.name == "Status" }?.value ?? "200 OK"
  let body = Array(output[end.upperBound...])
  let lines = fields.filter { $0.name != "Status" }.map { "\($0.name): \($0.value)" }
  let head = ["HTTP/1.1 \(status)"] + lines + ["Content-Length: \(body.count)", "", ""]
  return Array(head.joined(separator: "\r\n").utf8) + body
}

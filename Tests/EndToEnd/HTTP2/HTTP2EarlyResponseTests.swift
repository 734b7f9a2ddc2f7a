import TapelineTestSupport
import Testing

extension EndToEnd.HTTP2 {
  /// curl uploads without end, and Node answers before it has read anything: only the answer can end the upload.
  @Suite struct EarlyResponses {
    struct Case: CustomTestStringConvertible, Sendable {
      /// The version of HTTP that the client asks for.
      let client: String
      /// The versions that the origin speaks.
      let origin: Origin

      var testDescription: String { "\(client), \(origin)" }
    }

    enum Origin: String {
      case http1 = "require('https').createServer"
      case http2 = "require('http2').createSecureServer"
    }

    private static let cases = [
      Case(client: "--http1.1", origin: .http1), Case(client: "--http1.1", origin: .http2),
      Case(client: "--http2", origin: .http1), Case(client: "--http2", origin: .http2),
    ]

    @Test("An answer that comes before the upload has ended reaches the client whole, and ends the upload", arguments: cases)
    func earlyResponse(_ legs: Case) throws {
      let authority = try TestAuthority()
      let identity = try authority.issue()
      let server = try TestProcess(
        "node",
        [
          "-e",
          """
          const read = require('fs').readFileSync, [certificate, key] = process.argv.slice(1);
          const server = \(legs.origin.rawValue)({ cert: read(certificate), key: read(key) }, (request, response) => {
            response.writeHead(413, { 'content-type': 'text/plain', 'content-length': 8 });
            response.end('too much');
          });
          server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));
          """, identity.certificate, identity.key,
        ])
      let line = try server.waitForOutputLine(containing: "port ", seconds: 60)
      let url = "https://localhost:\(line.dropFirst("port ".count))/upload"

      let run = try RunRecording(
        trusting: authority,
        [
          "sh", "-ec",
          #"yes | curl -sS "$0" -T - -H Expect: -H 'Content-Type: application/octet-stream' -w ' %{http_code} %{http_version}' "$1""#,
          legs.client, url,
        ])
      let version = legs.client == "--http2" && legs.origin == .http2 ? "2" : "1.1"
      #expect(run.process.outputText == "too much 413 \(version)", "\(run.process.errorText)")
      let entry = try run.entry("/upload", method: "PUT")
      #expect(entry.status == 413 && entry.contentText == "too much" && entry.error == nil, "\(entry.tree)")
      #expect(entry.responseBodySize == 8)
      #expect((entry.streamID != nil) == (legs.origin == .http2))
      #expect(run.exchanges.count == 1)
    }
  }
}

import TapelineTestSupport
import Testing

extension EndToEnd.Redaction {
  /// Bodies whose end the log does not have: the beginning of a key is too short to be known as one.
  @Suite struct CutBodies {
    private static let secrets = [
      "ghp_0123456789abcdefghijklmnopqrstuvwxyz", "AKIAIOSFODNN7EXAMPLE", "https://bob:hunter2hunter2@host/",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "xoxb-1234567890-abcdefghijkl",
    ]

    /// The part that tells that it is a secret, and the rest, of which nothing may be in the log.
    private static func parts(of secret: String) -> (known: String, rest: String) {
      let known = ["ghp_", "AKIA", "https://", "eyJ", "xoxb-"].first { secret.hasPrefix($0) } ?? ""
      return (known, String(secret.dropFirst(known.count)))
    }

    private static func expectNothing(of secret: String, kept: Int, in text: String) {
      let (known, rest) = parts(of: secret)
      let shown = String(rest.prefix(kept))
      // A log has times and ports: four digits of a key stand in one of them now and then.
      #expect(!text.contains(shown.count < 8 ? known + shown : shown), "\(secret) cut after \(kept)")
    }

    @Test("--max-body cuts within a key: nothing of the key is kept", arguments: secrets)
    func limited(secret: String) throws {
      let (known, rest) = Self.parts(of: secret)
      let padding = "some words before it: "
      for kept in [4, rest.count / 2, rest.count - 1] {
        let origin = try ScriptedOrigin([
          .forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: padding + secret + " and after it")])
        ])
        let limit = padding.utf8.count + known.utf8.count + kept
        let recording = try recording(["--max-body", "\(limit)"]) { proxy in
          let upload = padding + secret + " and more"
          let curl = try proxy.curl(["-o", "/dev/null", "-d", upload, origin.url("/cut")])
          #expect(curl.exitStatus == .exited(0))
        }
        let text = try readText(recording.log.path)
        Self.expectNothing(of: secret, kept: kept, in: text)
        #expect(text.contains("some words before it"))
      }
    }

    @Test("A side that ends within a key: nothing of the key is kept", arguments: secrets)
    func brokenOff(secret: String) throws {
      let (known, rest) = Self.parts(of: secret)
      for kept in [4, rest.count / 2, rest.count - 1] {
        let part = "some words before it: " + known + rest.prefix(kept)
        let origin = try ScriptedOrigin([
          .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n\(part)"), .close,
        ])
        let recording = try recording { proxy in
          #expect(try proxy.curl(["-o", "/dev/null", origin.url("/early")]).exitStatus != .exited(0))
          let client = try proxy.request(
            "POST \(origin.url("/upload")) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n\(part)"
          )
          client.close()
        }
        let text = try readText(recording.log.path)
        Self.expectNothing(of: secret, kept: kept, in: text)
        #expect(text.contains("some words before it"))
      }
    }
  }
}

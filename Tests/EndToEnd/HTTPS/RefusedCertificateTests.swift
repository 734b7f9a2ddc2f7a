import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A server whose certificate cannot be verified is not spoken to. If pages are wanted, the client gets one that says why, and
  /// so does the log.
  @Suite struct RefusedCertificates {
    private static func refused(
      by trusted: TestAuthority, _ identity: TestIdentity, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (page: String, entry: RecordedEntry) {
      let server = try NginxServer(identity: identity)
      try server.serve([1], as: "secret")
      let run = try RunRecording(
        trusting: trusted, options: ["--failures", "page"], ["curl", "-sS", "-w", "%{http_code}", server.tlsURL("/secret")],
        sourceLocation: sourceLocation)
      let page = run.process.outputText
      #expect(page.hasSuffix("502"), "\(page)", sourceLocation: sourceLocation)
      let entry = try run.entry("/secret", sourceLocation: sourceLocation)
      #expect(entry.status == 0, sourceLocation: sourceLocation)
      #expect(entry.error?["origin"]?.string == "upstream", sourceLocation: sourceLocation)
      #expect(entry.error?["phase"]?.string == "tls", sourceLocation: sourceLocation)
      #expect(entry.phase("connect") > 0, "TCP stood", sourceLocation: sourceLocation)
      #expect(
        run.process.errorText.contains("1 failed") || run.process.errorText.contains("fail"), sourceLocation: sourceLocation)
      return (page.lowercased(), entry)
    }

    @Test func expired() throws {
      let authority = try TestAuthority()
      let (page, entry) = try Self.refused(by: authority, authority.expired())
      #expect(page.contains("expired"))
      #expect("\(entry.error ?? .null)".contains("expired"))
    }

    @Test func selfSigned() throws {
      let (page, entry) = try Self.refused(by: TestAuthority(), .selfSigned())
      #expect(page.contains("self-signed"))
      #expect("\(entry.error ?? .null)".lowercased().contains("self-signed"))
    }

    @Test func forAnotherHost() throws {
      let authority = try TestAuthority()
      let (page, entry) = try Self.refused(by: authority, authority.forAnotherHost())
      #expect(page.contains("elsewhere.invalid"), "for whom it is")
      #expect(page.contains("localhost"), "and for whom it should be")
      #expect("\(entry.error ?? .null)".lowercased().contains("host"))
    }

    @Test func ofAnAuthorityThatIsTrustedNoMore() throws {
      let (page, entry) = try Self.refused(by: TestAuthority(), TestAuthority().issue())
      #expect(page.contains("--upstream-ca"), "what to do about it")
      #expect("\(entry.error ?? .null)".lowercased().contains("authority"))
    }

    @Test func acceptedWhenAskedToAndSaidSo() throws {
      let server = try NginxServer()
      try server.serve(Array("anyway".utf8), as: "file.txt")
      let authority = try TemporaryDirectory()
      let recording = try recording(["--intercept", "--ca-dir", authority.path, "--insecure-upstream"]) { proxy in
        let curl = try proxy.curl([
          "--cacert", authority.path("ca.pem"), server.tlsURL("/file.txt"), server.tlsURL("/file.txt?2"),
        ])
        #expect(curl.outputText == "anywayanyway", "\(curl.errorText)")
      }
      #expect(recording.entries.count == 2)
      #expect(recording.entries.allSatisfy { $0.tls?["unverified"]?.bool == true }, "each entry that it touched says so")
    }
  }
}

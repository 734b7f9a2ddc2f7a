import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rule 11 of the observer: an answer that comes early ends nothing. Clients and origins see what they see without us.
  @Suite struct EarlyAnswers {
    private let authority: TestAuthority
    private let identity: TestIdentity

    init() throws {
      authority = try TestAuthority()
      identity = try authority.issue()
    }

    private func play(_ upload: EarlyUpload, _ url: String, _ mode: String) throws -> String {
      let client = try TestProcess(
        upload.command(url, mode)[0], Array(upload.command(url, mode).dropFirst()),
        environment: ["CA": authority.certificate, "no_proxy": ""])
      #expect(try client.wait(seconds: 60).isSuccess, "\(upload.name): \(client.errorText)")
      return client.outputText
    }

    private func record(_ upload: EarlyUpload, _ url: String, _ mode: String) throws -> RunRecording {
      // The program trusts our authority by the file that `run` names.
      try RunRecording(
        trusting: authority, ["sh", "-c", #"CA=$SSL_CERT_FILE exec "$@""#, "sh"] + upload.command(url, mode))
    }

    @Test("The upload arrives whole and both connections go on, as without us", arguments: EarlyUpload.all)
    func readsOn(_ upload: EarlyUpload) throws {
      let origin = try EarlyOrigin(upload.version, identity: identity)
      var requests = 0
      for mode in ["reads", "echo"] {
        let direct = try play(upload, origin.url, mode)
        let seen = try origin.requests(after: requests, count: 2)
        let run = try record(upload, origin.url, mode)
        let through = try origin.requests(after: requests + 2, count: 2)
        requests += 4
        #expect(run.process.outputText == direct && through == seen, "\(mode)")
        #expect(through.allSatisfy { $0.hasSuffix(" \(EarlyUpload.size)") }, "\(through)")
        #expect(run.exchanges.map(\.requestBodySize) == [EarlyUpload.size, EarlyUpload.size])
        #expect(run.exchanges.allSatisfy { $0.error == nil && $0.request?["_endedBy"] == nil })
      }
    }

    @Test(
      "An origin that does not take the rest still answers, and the entry of an incomplete request says so",
      arguments: ["ends", "refuses", "resets"])
    func leaves(_ mode: String) throws {
      let origin = try EarlyOrigin(.clear, identity: identity)
      let upload = try #require(EarlyUpload.all.first { $0.name == "curl" })
      let directory = try TemporaryDirectory()
      let har = directory.path("capture.har")
      // What curl makes of a reset is chance, directly too.
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "-o", har, "--"] + upload.command(origin.url, mode),
        environment: ["CA": authority.certificate])
      _ = try run.wait(seconds: 60)
      let received = try origin.requests(after: 0, count: 2)
      let entries = try RecordedLog(contentsOf: har).entries
      #expect(entries.count == 2)
      for (entry, line) in zip(entries, received) {
        #expect(entry.status == (mode == "refuses" ? 413 : 200) && entry.error == nil, "\(entry.tree)")
        // What the kernel has taken is sent, whatever becomes of it.
        let isWhole = entry.requestBodySize == EarlyUpload.size
        #expect(isWhole || (entry.request?["_endedBy"] != nil && line.hasSuffix(" cut")), "\(line): \(entry.tree)")
        #expect(entry.request?["_endedBy"] == nil || entry.phase("wait") == 0, "an unfinished request is in `send`")
      }
      try HARValidators.expectAccepted(har)
    }

    @Test("nginx's `return` and Apache's 404 read on, and their connections are kept", arguments: ["nginx", "Apache"])
    func servers(_ name: String) throws {
      let nginx = try NginxServer(
        identity: identity, directives: "client_max_body_size 0; location /reads/ { return 200 early; }")
      let apache = try ApacheServer()
      let port = name == "nginx" ? nginx.port : apache.port
      let upload = try #require(EarlyUpload.all.first { $0.name == "requests" })
      let direct = try play(upload, "http://localhost:\(port)", "reads")
      let run = try record(upload, "http://localhost:\(port)", "reads")
      #expect(run.process.outputText == direct)
      #expect(run.exchanges.map(\.requestBodySize) == [EarlyUpload.size, EarlyUpload.size])
      expectReused(run.exchanges[1])
    }
  }
}

import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The proxy that the environment names, which `run` goes through.
  @Suite struct InheritedProxies {
    private static let dead = "http://me:secret@127.0.0.1:1"

    private static func run(
      _ options: [String], _ environment: [String: String], url: String, in directory: TemporaryDirectory
    ) throws -> TestProcess {
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "--no-intercept", "-o", directory.path("a.har")] + options + ["--", "curl", "-sS", url],
        environment: environment)
      try run.wait(seconds: 60)
      return run
    }

    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(body: "the answer")])])
    }

    @Test("A run in a run: both record, HTTP and decrypted HTTPS")
    func nested() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      let directory = try TemporaryDirectory()
      // Two authorities: the inner one learns from its environment that it can trust the outer one.
      let run = try RunRecording(
        trusting: authority,
        [
          try TapelineProcess.binary, "run", "-o", directory.path("inner.har"), "--ca-dir", directory.path("inner"), "--", "curl",
          "-sS", server.url("/hello.txt?clear"), server.tlsURL("/hello.txt?secure"),
        ])
      #expect(run.process.outputText == "hello\nhello\n")
      #expect(
        run.process.errorText.contains(/tapeline: servers are reached through http:\/\/127\.0\.0\.1:[0-9]+, as https_proxy says;/)
      )
      let inner = try RecordedLog(contentsOf: directory.path("inner.har"))
      #expect(violations(in: inner) == [])
      for suffix in ["?clear", "?secure"] {
        #expect(try run.entry(suffix).contentText == "hello\n")
        let entry = try inner.entry(suffix)
        #expect(entry.contentText == "hello\n" && entry.error == nil && entry.upstreamProxy != nil)
        #expect(try run.entry(suffix).upstreamProxy == nil)
      }
    }

    @Test("It is gone through with its credentials, which nobody is shown")
    func followed() throws {
      let origin = try Self.answering()
      let outer = try recording(["--auth", "me:secret"]) { outer in
        let proxy = "http://me:secret@127.0.0.1:\(outer.port)"
        let run = try Self.run([], ["http_proxy": proxy, "https_proxy": proxy], url: origin.url("/x"), in: TemporaryDirectory())
        #expect(run.outputText == "the answer", "\(run.errorText)")
        #expect(
          run.errorText.hasPrefix("tapeline: servers are reached through http://127.0.0.1:\(outer.port), as https_proxy says;"))
        #expect(!run.errorText.contains("secret"))
        let quiet = try Self.run(["-q"], ["all_proxy": proxy], url: origin.url("/quiet"), in: TemporaryDirectory())
        #expect(quiet.errorText.isEmpty)
      }
      #expect(outer.entries.map(\.url) == [origin.url("/x"), origin.url("/quiet")])
    }

    @Test("What NO_PROXY excepts is reached directly, and recorded: this machine as well")
    func exceptions() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let run = try Self.run([], ["http_proxy": Self.dead, "NO_PROXY": "localhost,127.0.0.1"], url: origin.url(), in: directory)
      #expect(run.outputText == "the answer", "\(run.errorText)")
      #expect(try RecordedLog(contentsOf: directory.path("a.har")).entries.map(\.upstreamProxy) == [nil])
    }

    @Test("--upstream-proxy none goes past it, another --upstream-proxy wins")
    func options() throws {
      let origin = try Self.answering()
      let direct = try Self.run(
        ["--upstream-proxy", "none"], ["http_proxy": Self.dead], url: origin.url(), in: TemporaryDirectory())
      #expect(direct.outputText == "the answer", "\(direct.errorText)")
      #expect(!direct.errorText.contains("servers are reached"))
      let other = try recording { other in
        let run = try Self.run(
          ["--upstream-proxy", other.url], ["http_proxy": Self.dead], url: origin.url("/x"), in: TemporaryDirectory())
        #expect(run.outputText == "the answer", "\(run.errorText)")
      }
      #expect(other.entries.count == 1)
    }

    @Test("One that we cannot speak to is said, without its password; servers are reached directly")
    func unusable() throws {
      let origin = try Self.answering()
      let run = try Self.run([], ["ALL_PROXY": "socks4://me:secret@127.0.0.1:1"], url: origin.url(), in: TemporaryDirectory())
      #expect(run.outputText == "the answer", "\(run.errorText)")
      #expect(run.errorText.contains("tapeline: ALL_PROXY: ") && run.errorText.contains("not socks4"), "\(run.errorText)")
      #expect(!run.errorText.contains("secret"))
    }

    @Test("record serves others than the shell that it was started from: it says that it does not follow")
    func record() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let proxy = try TestProcess(
        TapelineProcess.binary,
        ["record", "--listen", "127.0.0.1:0", "--port-file", directory.path("port"), "-o", directory.path("a.har")],
        environment: ["https_proxy": Self.dead])
      let line = try proxy.waitForErrorLine(containing: "servers are reached directly")
      #expect(line.contains(#"--upstream-proxy "$https_proxy" goes there"#) && !line.contains("secret"))
      _ = try proxy.waitForErrorLine(containing: "listening on")
      let curl = try TestProcess(
        "sh", ["-ec", #"curl -sS --noproxy '' --proxy "http://$(cat $0)" $1"#, directory.path("port"), origin.url()])
      try curl.wait()
      #expect(curl.outputText == "the answer", "\(curl.errorText)")
      proxy.signal(2)
      #expect(try proxy.wait() == .exited(0))
    }
  }
}

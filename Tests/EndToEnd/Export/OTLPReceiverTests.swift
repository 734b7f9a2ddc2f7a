import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Collectors of other people.
  @Suite struct OTLPReceivers {
    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.answer { _ in .response(body: Array("a lamp\n".utf8)) }])])
    }

    @Test("rotel takes what is recorded, and passes every span on")
    func rotel() throws {
      let origin = try Self.answering()
      let store = try Collector()
      let port = try freePort()
      let rotel = try TestProcess(
        "\(repositoryRoot)/.build-tools/tests/bin/python",
        [
          "-c", "import os, rotel, sys; os.execv(os.path.dirname(rotel.__file__) + '/rotel-agent', ['rotel'] + sys.argv[1:])",
          "start",
          "--otlp-http-endpoint", "127.0.0.1:\(port)", "--otlp-grpc-endpoint", "127.0.0.1:\(try freePort())",
          "--exporter", "otlp", "--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", store.url,
          "--batch-timeout", "100ms",
        ])
      defer { rotel.signal(9) }
      let recording = try recording(["--otlp", "http://127.0.0.1:\(port)"]) { proxy in
        for number in 0..<50 { _ = try proxy.curl([origin.url("/\(number)")]) }
        // It may start later than the recording: then the recording tries again.
        let deadline = Deadline.after(seconds: 30)
        while try store.spans().count(where: \.isExchange) < 50 {
          try #require(!deadline.hasPassed, "\(rotel.errorText)\(rotel.outputText)")
        }
      }
      let spans = try store.spans()
      expectModel(spans, of: recording.log)
      #expect(recording.proxy.process.errorText.contains("\(spans.count) spans of 50 exchanges sent to "))
    }

    @Test("Behind TLS the collector's certificate is verified, by the authorities of the system or by a file")
    func secure() throws {
      let origin = try Self.answering()
      let collector = try Collector()
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue(), before: collector.origin.port)
      let recording = try recording { proxy in _ = try proxy.curl([origin.url("/a")]) }
      func export(_ environment: [String: String]) throws -> TestProcess {
        let export = try TestProcess(
          TapelineProcess.binary, ["export", "otlp", recording.proxy.harPath, "--otlp", server.tlsURL("/origin")],
          environment: environment.merging(["OTEL_EXPORTER_OTLP_TIMEOUT": "2000"]) { $1 })
        _ = try export.wait()
        return export
      }
      let stranger = try export([:])
      #expect(stranger.exitStatus == .exited(69))
      #expect(stranger.errorText.contains("certificate"), "\(stranger.errorText)")
      #expect(collector.origin.requests.isEmpty)
      let trusted = try export(["OTEL_EXPORTER_OTLP_CERTIFICATE": authority.certificate])
      #expect(trusted.exitStatus == .exited(0), "\(trusted.errorText)")
      expectModel(try collector.spans(), of: recording.log)
    }

    private func freePort() throws -> UInt16 {
      let server = try ScriptedOrigin([])
      defer { server.stop() }
      return server.port
    }
  }
}

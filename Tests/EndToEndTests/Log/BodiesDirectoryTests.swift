import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `--bodies-dir` keeps bodies beside the log, each once.
  @Suite struct BodiesDirectory {
    @Test func holdsEachBodyOnce() throws {
      let directory = try TemporaryDirectory()
      let bodies = directory.path("bodies")
      let picture = patternedOctets(5000)
      let origin = try ScriptedOrigin([
        .forever([
          .answer { request in
            request.startLine.contains("/text")
              ? .response(fields: ["Content-Type: text/plain"], body: Array("some text".utf8))
              : .response(fields: ["Content-Type: image/png"], body: picture)
          }
        ])
      ])
      let recording = try recording(["--bodies-dir", bodies]) { proxy in
        _ = try proxy.curl([origin.url("/picture?1"), origin.url("/picture?2"), origin.url("/text")])
        _ = try proxy.curl(["--data-binary", "@-", origin.url("/upload")], input: picture)
      }
      try HARValidators.expectAccepted(recording.log.path)

      let files = try [
        recording.entry("?1").response?["content"], recording.entry("?2").response?["content"],
        recording.entry("/upload").request?["postData"],
      ].map { try #require($0?["_file"]?.string) }
      #expect(Set(files).count == 1, "equal octets, one file")
      let har = recording.log.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      let file = files[0].hasPrefix("/") ? files[0] : "\(har)/\(files[0])"
      #expect(try readFile(file) == picture)

      let digest = try TestProcess("sha256sum", [file])
      try digest.wait()
      #expect(file.hasSuffix(String(digest.outputText.prefix(64))), "named after what it holds")
      let modes = try TestProcess("stat", ["-c", "%a", file, bodies])
      try modes.wait()
      #expect(modes.outputText == "600\n700\n")
    }
  }
}

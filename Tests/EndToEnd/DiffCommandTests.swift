import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Two recordings of the same client, the second with a slower server that says other things.
  @Suite struct DiffCommands {
    private static func tapeline(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments)
      try process.wait(seconds: 60)
      return process
    }

    private static func capture(
      _ steps: [OriginStep], in directory: TemporaryDirectory, as name: String, count: Int = 12
    ) throws -> String {
      let origin = try ScriptedOrigin([.forever(steps)])
      let path = directory.path(name)
      let urls = (1...count).map { origin.url("/orders/\($0)?page=\($0)") }
      let run = try tapeline(["run", "-q", "-o", path, "--", "curl", "-sS"] + urls)
      try #require(run.exitStatus == .exited(0), "\(run.errorText)")
      return path
    }

    @Test func aSlowerServerIsFoundAndNamed() throws {
      let directory = try TemporaryDirectory()
      let before = try Self.capture(
        [.expectRequest, .respond(fields: ["X-Version: 1"], body: "fine")], in: directory, as: "before.har", count: 40)
      let after = try Self.capture(
        [.expectRequest, .delay(milliseconds: 40), .respond("503 Service Unavailable", fields: ["X-Version: 2"], body: "no")],
        in: directory, as: "after.har", count: 40)
      let diff = try Self.tapeline(["diff", before, after])
      #expect(diff.exitStatus == .exited(0), "nothing was limited: \(diff.errorText)")
      let text = diff.outputText
      #expect(text.contains("slower requests\n  GET http://127.0.0.1:{port}/orders/{id}?page\n"), "\(text)")
      #expect(text.contains("200 → 503 ×40"))
      #expect(text.contains("response x-version  1 → 2  40 exchanges of 1 request"))
      #expect(!text.contains("new requests"), "the port of the server is folded")
      let limited = try Self.tapeline(["diff", before, after, "--fail", "p50 +10%", "--fail", "new errors", "--fail", "count +0"])
      #expect(limited.exitStatus == .exited(1))
      #expect(limited.outputText.contains("FAIL  p50 +10%"), "\(limited.outputText)")
      #expect(limited.outputText.contains("FAIL  new errors"))
      #expect(limited.outputText.contains("ok    count +0"))
      let json = try JSONTree(parsing: Array(try Self.tapeline(["diff", before, after, "--format", "json"]).outputText.utf8))
      #expect(json["requests"]?.elements.count == 1)
      let markdown = try Self.tapeline(["diff", before, after, "--format", "markdown"])
      #expect(markdown.outputText.hasPrefix("### More errors: GET http"), "\(markdown.outputText)")
    }

    @Test func aCaptureDoesNotDifferFromItself() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture([.expectRequest, .respond(body: "fine")], in: directory, as: "a.har", count: 3)
      let limits = ["p95 +0%", "new errors", "new requests", "changed headers", "changed status", "size +0B"].flatMap {
        ["--fail", $0]
      }
      let diff = try Self.tapeline(["diff", path, path] + limits)
      #expect(diff.exitStatus == .exited(0), "\(diff.outputText)\(diff.errorText)")
      #expect(diff.outputText.contains("nothing else has changed"))
    }

    @Test func badInputHasItsStatus() throws {
      #expect(try Self.tapeline(["diff", "absent.har", "absent.har"]).exitStatus == .exited(65))
      #expect(try Self.tapeline(["diff", "a.har", "b.har", "--fail", "p95 10"]).exitStatus == .exited(64))
      #expect(try Self.tapeline(["diff", "-", "-"]).exitStatus == .exited(64))
    }
  }
}

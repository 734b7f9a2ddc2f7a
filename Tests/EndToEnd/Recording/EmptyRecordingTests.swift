import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A recording that missed the traffic does not look like a success.
  @Suite struct EmptyRecordings {
    private static func run(_ options: [String], _ command: [String], _ directory: TemporaryDirectory) throws -> TestProcess {
      let run = try TestProcess(TapelineProcess.binary, ["run", "-o", directory.path("a.har")] + options + ["--"] + command)
      try run.wait(seconds: 60)
      return run
    }

    @Test func nothingRecordedIsAFailure() throws {
      let run = try Self.run([], ["true"], TemporaryDirectory())
      #expect(run.exitStatus == .exited(1))
      #expect(run.errorText.contains("nothing was recorded: nothing came to the proxy"))
      #expect(run.errorText.hasSuffix("tapeline: run: 0 exchanges were recorded, and 1 is required; --require 0 permits that\n"))
      let quiet = try Self.run(["-q"], ["true"], TemporaryDirectory())
      #expect(quiet.exitStatus == .exited(1), "it is an error, which -q does not silence")
      #expect(quiet.errorText.contains("--require 0"))
    }

    @Test func itCanBePermitted() throws {
      let run = try Self.run(["--require", "0"], ["true"], TemporaryDirectory())
      #expect(run.exitStatus == .exited(0))
      #expect(run.errorText.contains("nothing was recorded"))
      let quiet = try Self.run(["--require", "0", "-q"], ["true"], TemporaryDirectory())
      #expect(quiet.exitStatus == .exited(0))
      #expect(quiet.errorText.isEmpty)
    }

    @Test func theStatusOfACommandThatFailedWins() throws {
      let run = try Self.run([], ["sh", "-c", "exit 7"], TemporaryDirectory())
      #expect(run.exitStatus == .exited(7))
      #expect(run.errorText.contains("1 is required"))
    }

    @Test func moreCanBeRequired() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "x")])])
      for (count, status) in [("2", Int32(1)), ("1", 0)] {
        let run = try Self.run(["--require", count], ["curl", "-sS", origin.url()], TemporaryDirectory())
        #expect(run.exitStatus == .exited(status), "\(run.errorText)")
        #expect(run.errorText.contains("1 exchange was recorded, and 2 are required") == (status == 1))
        #expect(!run.errorText.contains("nothing was recorded"))
      }
    }

    @Test func whatTheFilterLeftOutIsTheCause() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "x")])
      let run = try Self.run(["--filter", "status == 404"], ["curl", "-sS", origin.url()], TemporaryDirectory())
      #expect(run.exitStatus == .exited(1))
      #expect(run.errorText.contains("nothing was recorded: --filter has left out 1 exchange;"))
    }

    @Test(
      "Who connected by itself is named, with where to and why",
      arguments: [
        (
          ["curl", "-sS", "--noproxy", "*"],
          "by itself; the cause is unknown; if it speaks HTTP there, make it use the proxy that HTTP_PROXY names"
        ),
        (["env", "-i", "/usr/bin/curl", "-sS"], "by itself: its environment does not name the proxy"),
        (
          ["env", "NO_PROXY=127.0.0.0/8", "no_proxy=127.0.0.1", "curl", "-sS"],
          "by itself: its environment has no_proxy=127.0.0.1"
        ),
        (
          ["sh", "-c", #"curl --noproxy "*" -sS "$0" && true"#],
          "by itself; the cause is unknown; if it speaks HTTP there, make it use"
        ),
      ])
    func bypass(command: [String], cause: String) throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "short")])
      let run = try Self.run(["--require-all"], command + [origin.url()], TemporaryDirectory())
      #expect(run.exitStatus == .exited(1))
      #expect(run.outputText == "short")
      #expect(
        run.errorText.contains(#/nothing was recorded: curl \([0-9]+\) connected to 127/#)
          && run.errorText.contains("127.0.0.1:\(origin.port) \(cause)"),
        "\(run.errorText)")
    }

    @Test func replayIsAboutAnswers() throws {
      let directory = try TemporaryDirectory()
      let har = "\(repositoryRoot)/Tests/Fixtures/har/session.har"
      let replay = try TestProcess(
        TapelineProcess.binary, ["replay", har, "--ca-dir", directory.path("ca"), "--", "true"])
      #expect(try replay.wait() == .exited(0), "\(replay.errorText)")
      #expect(replay.errorText.contains("nothing was recorded"))
    }
  }
}

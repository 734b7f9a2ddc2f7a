import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `list --follow` beside a recording: each exchange is printed while the recording goes on.
  @Suite struct Following {
    private static func follow(_ path: String, _ options: [String] = []) throws -> TestProcess {
      try TestProcess(TapelineProcess.binary, ["list", path, "--follow", "--json", "--columns", "number,status,path"] + options)
    }

    private static func row(_ number: Int, _ path: String) -> String {
      #"{"number":\#(number),"status":200,"path":"\#(path)"}"#
    }

    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "x")])])
    }

    @Test func printsWhatComesUntilTheRecordingEnds() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess()
      _ = try proxy.curl(["-o", "/dev/null", origin.url("/before")])
      let all = try Self.follow(proxy.harPath)
      let some = try Self.follow(proxy.harPath, ["--filter", "path like \"/late*\""])
      _ = try all.waitForOutputLine(containing: "/before")
      for number in 1...3 {
        _ = try proxy.curl(["-o", "/dev/null", origin.url("/during-\(number)")])
        _ = try all.waitForOutputLine(containing: Self.row(number + 1, "/during-\(number)"))
      }
      _ = try proxy.curl(["-o", "/dev/null", origin.url("/late")])
      _ = try some.waitForOutputLine(containing: Self.row(5, "/late"))
      #expect(all.exitStatus == nil)
      #expect(try proxy.stop() == .exited(0))
      #expect(try all.wait() == .exited(0), "\(all.errorText)")
      #expect(try some.wait() == .exited(0), "\(some.errorText)")
      #expect(some.outputText == Self.row(5, "/late") + "\n")
    }

    @Test func goesOnInTheNextFile() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess()
      _ = try proxy.curl(["-o", "/dev/null", origin.url("/first")])
      let follow = try Self.follow(proxy.harPath)
      _ = try follow.waitForOutputLine(containing: Self.row(1, "/first"))
      proxy.process.signal(1)
      _ = try follow.waitForErrorLine(containing: "capture-001.har: the recording goes on here")
      _ = try proxy.curl(["-o", "/dev/null", origin.url("/second")])
      _ = try follow.waitForOutputLine(containing: Self.row(1, "/second"))
      follow.signal(2)
      #expect(try follow.wait() == .killed(signal: 2))
      #expect(try proxy.stop() == .exited(0))
    }

    @Test func endsWithTheKillOfTheRecorderAndAtTheLimit() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess()
      let follow = try Self.follow(proxy.harPath)
      let limited = try Self.follow(proxy.harPath, ["-n", "2"])
      for number in 1...3 { _ = try proxy.curl(["-o", "/dev/null", origin.url("/\(number)")]) }
      #expect(try limited.wait() == .exited(0))
      #expect(limited.outputText.split(separator: "\n").count == 2)
      _ = try follow.waitForOutputLine(containing: Self.row(3, "/3"))
      proxy.process.signal(9)
      #expect(try follow.wait() == .exited(0), "\(follow.errorText)")
    }
  }
}

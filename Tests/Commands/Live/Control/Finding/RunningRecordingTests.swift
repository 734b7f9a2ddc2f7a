import TapelineOffline
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Running recording")
struct RunningRecordingTests {
  private let recordings: RunningRecordings
  private let first: String
  private let second: String

  init() throws {
    recordings = try RunningRecordings()
    first = try recordings.add(["127.0.0.1:7"], process: 71, name: "web", in: "/home/first")
    second = try recordings.add(["0.0.0.0:8", "[::1]:9"], process: 82, in: "/home/second")
  }

  private func find(_ designation: RunningRecording.Designation? = nil, from shell: CallingShell) throws -> String {
    try RunningRecording.find(designation, from: shell).client.path
  }

  @Test("What the command line names is meant, whatever the shell says")
  func designation() throws {
    let shell = recordings.shell(in: "/home/first", ["TAPELINE_CONTROL": first, "http_proxy": "http://127.0.0.1:7"])
    #expect(try find(.socket(second), from: shell) == second)
    #expect(try find(.name("82"), from: shell) == second)
    #expect(try find(.name("web"), from: recordings.shell()) == first)
    #expect(try find(.name("71"), from: recordings.shell()) == first)
  }

  @Test("Then what TAPELINE_CONTROL says, and nothing else when that has ended")
  func variable() throws {
    #expect(try find(from: recordings.shell(in: "/home/first", ["TAPELINE_CONTROL": second])) == second)
    #expect(try find(from: recordings.shell(in: "/home/first", ["TAPELINE_CONTROL": ""])) == first)
    let failure = #expect(throws: CommandFailure.self) {
      try find(from: recordings.shell(in: "/home/first", ["TAPELINE_CONTROL": "/gone.sock"]))
    }
    #expect(failure?.status == .unavailable)
  }

  @Test(
    "Then the directory that it was started in, or a proxy variable",
    arguments: [
      ("/home/first", "", "", 0), ("/home/second", "", "", 1), ("/elsewhere", "http_proxy", "http://127.0.0.1:7", 0),
      ("/elsewhere", "HTTPS_PROXY", "http://user:pass@localhost:8/", 1), ("/elsewhere", "all_proxy", "http://[::1]:9", 1),
      ("/home/first", "http_proxy", "http://127.0.0.1:7", 0), ("/home/first", "http_proxy", "https://127.0.0.1:8", 0),
    ])
  func shell(directory: String, variable: String, value: String, expected: Int) throws {
    let shell = recordings.shell(in: directory, variable.isEmpty ? [:] : [variable: value])
    #expect(try find(from: shell) == recordings.servers[expected].path)
  }

  @Test("One that nothing names is not acted on, were it the only one: it is listed, with what names it")
  func stranger() throws {
    let one = try RunningRecordings()
    try one.add(["127.0.0.1:7"], process: 71, in: "/home/first")
    let shells = [
      one.shell(), one.shell(in: nil), one.shell(in: "/home/first/below"),
      one.shell(in: "/", ["http_proxy": "http://127.0.0.1:8"]),
    ]
    for shell in shells {
      let failure = #expect(throws: CommandFailure.self) { try find(from: shell) }
      #expect(failure?.status == .usage)
      #expect(failure?.choices == ["  --name 71: process 71, 127.0.0.1:7, /a.har, started in /home/first"])
    }
  }

  @Test("Of several that are meant none is acted on, and they are listed")
  func several() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try find(from: recordings.shell(in: "/home/first", ["http_proxy": "http://127.0.0.1:8"]))
    }
    #expect(failure?.status == .usage)
    #expect(
      failure?.choices.sorted() == [
        "  --name 82: process 82, 0.0.0.0:8 and [::1]:9, /a.har, started in /home/second",
        "  --name web: process 71 (web), 127.0.0.1:7, /a.har, started in /home/first",
      ])
  }

  @Test("A name that two have, or nobody, is no name; two of the same name are told apart by their processes")
  func names() throws {
    try recordings.add(["127.0.0.1:10"], process: 93, name: "web", in: "/home/third")
    let twice = #expect(throws: CommandFailure.self) { try find(.name("web"), from: recordings.shell(in: "/home/first")) }
    #expect(twice?.status == .usage)
    #expect(twice?.choices.map { $0.prefix { $0 != ":" } }.sorted() == ["  --name 71", "  --name 93"])
    let nobody = #expect(throws: CommandFailure.self) { try find(.name("wep"), from: recordings.shell(in: "/home/first")) }
    #expect(nobody?.status == .unavailable)
    #expect(nobody?.choices.count == 3)
  }

  @Test("Where none runs, that is said")
  func none() throws {
    let failure = #expect(throws: CommandFailure.self) { try find(from: try RunningRecordings().shell()) }
    #expect(failure?.status == .unavailable)
    #expect(failure?.choices == [])
  }
}

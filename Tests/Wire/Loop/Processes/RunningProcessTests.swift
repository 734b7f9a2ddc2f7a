import Glibc
import TapelineTestSupport
import Testing

@testable import TapelineLoop

@Suite("Processes, as /proc shows them")
struct RunningProcessTests {
  @Test("This process: its parent, its program, its command line, its environment")
  func thisProcess() throws {
    let process = try #require(RunningProcess(id: getpid()))
    #expect(process.id == getpid())
    #expect(process.parent == getppid())
    #expect(process.startTicks > 0)
    #expect(process.isRunning)
    #expect(process.executable?.hasPrefix("/") == true)
    #expect(process.arguments() == CommandLine.arguments)
    #expect(process.environment().contains { $0.hasPrefix("PATH=") })
    #expect(process.arguments(limit: 3).first?.utf8.count == 3, "bounded")
  }

  @Test("A process that has ended is none, and its id is not another's")
  func ended() throws {
    let child = try TestProcess("sh", ["-c", "read line"], input: nil)
    let process = try #require(RunningProcess(id: child.id))
    #expect(process.parent == getpid())
    #expect(process.isRunning)
    child.closeInput()
    try child.wait()
    #expect(!process.isRunning)
    #expect(process.executable == nil)
    #expect(process.arguments().isEmpty)
    #expect(process.sockets.isEmpty)
  }

  @Test("No process has these ids", arguments: [0, -1, Int32.max])
  func none(id: Int32) {
    #expect(RunningProcess(id: id) == nil)
    #expect(RunningProcess.descendants(of: Int32.max).isEmpty)
  }

  @Test("A name may hold anything", arguments: ["a) S 1 (b", "", "two words", ")))", "line\nline"])
  func names(name: String) throws {
    let rest = (0..<17).map(String.init).joined(separator: " ")
    let process = try #require(RunningProcess(id: 7, stat: Array("7 (\(name)) S 42 \(rest) 4711 0\n".utf8)))
    #expect(process.name == name)
    #expect(process.parent == 42)
    #expect(process.startTicks == 4_711)
  }

  @Test(
    "What is no line of a process is none",
    arguments: [
      "", "7", "7 (a", "7 a)", ")(", "7 (a) S", "7 (a) S x 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19",
      "7 (a) S 1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 -1 19",
      "7 (a) S 99999999999 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
    ])
  func noise(stat: String) {
    #expect(RunningProcess(id: 7, stat: Array(stat.utf8)) == nil)
  }

  @Test("Children and grandchildren descend from this process, and from the child between")
  func descendants() throws {
    let child = try TestProcess("sh", ["-c", "sh -c 'echo $$; read line'; echo"], input: nil)
    let grandchild = try #require(Int32(try child.waitForOutputLine(containing: "")))
    let all = RunningProcess.descendants(of: getpid())
    #expect(all.contains { $0.id == child.id && $0.parent == getpid() && $0.name == "sh" })
    #expect(all.contains { $0.id == grandchild && $0.parent == child.id })
    #expect(RunningProcess.descendants(of: child.id).map(\.id) == [grandchild])
    child.closeInput()
    try child.wait()
  }
}

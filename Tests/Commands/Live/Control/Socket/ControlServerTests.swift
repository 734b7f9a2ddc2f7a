import Synchronization
import TapelineOffline
import TapelineHAR
import TapelineSystem
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineLive

@Suite("Control server")
struct ControlServerTests {
  private final class Requests: Sendable {
    private let all = Mutex<[ControlRequest]>([])

    func add(_ request: ControlRequest) {
      all.withLock { $0.append(request) }
    }

    var list: [ControlRequest] { all.withLock(\.self) }
  }

  private let directory: TemporaryDirectory
  private let requests = Requests()
  private let server: ControlServer

  init() throws {
    let requests = requests
    directory = try TemporaryDirectory()
    server = try ControlServer(directories: [ControlDirectory(path: directory.path("control"))]) { request in
      requests.add(request)
      switch request {
      case .mark(let name): return .result(["page": .string(name)])
      case .snapshot(let path):
        return .failure(CommandFailure(status: .cannotCreate, what: path, why: "no room", remedy: "make some"))
      case .status, .traffic, .rotate, .passthrough, .rules, .stop: return .done
      }
    }
  }

  private var soon: MonotonicInstant { .now.advanced(byNanoseconds: 120_000_000_000) }

  /// Sends bytes as they are, and returns the reply's line.
  private func exchange(_ bytes: [UInt8]) throws -> String {
    let connection = try ControlConnection.open(server.path, before: soon)
    try connection.send(bytes, before: soon)
    return String(decoding: try connection.receiveLine(limit: 100_000, before: soon), as: UTF8.self)
  }

  @Test("Each request is answered, results and failures")
  func answers() throws {
    defer { server.close() }
    let client = ControlClient(path: server.path)
    #expect(try client.ask(.mark(name: "log in")) == ["page": "log in"])
    #expect(try client.ask(.rotate) == [:])
    let failure = #expect(throws: CommandFailure.self) { try client.ask(.snapshot(path: "/x")) }
    #expect(failure == CommandFailure(status: .cannotCreate, what: "/x", why: "no room", remedy: "make some"))
    #expect(requests.list == [.mark(name: "log in"), .rotate, .snapshot(path: "/x")])
  }

  @Test("A socket's path with a NUL is not that of the socket before the NUL")
  func nul() {
    defer { server.close() }
    #expect(throws: ControlConnectionError.system(ErrorCode.invalidArgument)) {
      try ControlConnection.open("\(server.path)\0x", before: soon)
    }
  }

  @Test("The socket and its directory are the owner's alone")
  func modes() throws {
    defer { server.close() }
    #expect(try fileMode(server.path) == 0o600)
    #expect(try fileMode(directory.path("control")) == 0o700)
  }

  @Test("Nonsense is refused and harms nobody")
  func nonsense() throws {
    defer { server.close() }
    let refused = [
      Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 255, 10], Array("{}\n".utf8), Array("\n\n\n".utf8),
      Array((String(repeating: "[", count: 60_000) + "\n").utf8),
      Array(#"{"tapeline":1,"command":"\u0000"}"#.utf8) + [10],
    ]
    for bytes in refused {
      #expect(try exchange(bytes).hasPrefix(#"{"tapeline":1,"ok":false,"error":{"what":"control request""#))
    }
    #expect(requests.list.isEmpty)
    #expect(try ControlClient(path: server.path).ask(.status) == [:])
  }

  @Test("A line without end is cut off")
  func endless() throws {
    defer { server.close() }
    let connection = try ControlConnection.open(server.path, before: soon)
    do {
      try connection.send([UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20), before: soon)
    } catch {
      // The server may have left already.
    }
    #expect(try ControlClient(path: server.path).ask(.status) == [:])
  }

  @Test("Whoever says nothing, or leaves, does not keep others from being served")
  func silence() throws {
    defer { server.close() }
    let silent = try ControlConnection.open(server.path, before: soon)
    do {
      let leaving = try ControlConnection.open(server.path, before: soon)
      try leaving.send(Array("{".utf8), before: soon)
    }
    #expect(try ControlClient(path: server.path).ask(.status) == [:])
    withExtendedLifetime(silent) {}
  }

  @Test("However many say nothing, others are answered before the first of them is given up")
  func idle() throws {
    defer { server.close() }
    var silent: [ControlConnection] = []
    for _ in 0..<100 { silent.append(try ControlConnection.open(server.path, before: soon)) }
    #expect(try ControlClient(path: server.path).ask(.status) == [:])
    withExtendedLifetime(silent) {}
  }

  @Test("Who asks for the end is told when it has come")
  func stop() throws {
    let connection = try ControlConnection.open(server.path, before: soon)
    try connection.send(ControlRequest.stop.line, before: soon)
    #expect(try ControlReply(line: try connection.receiveLine(limit: 1_000, before: soon)) == .done)
    // The connection stays open: the recording has not ended.
    let shortly = MonotonicInstant.now.advanced(byNanoseconds: 50_000_000)
    #expect(throws: ControlConnectionError.timedOut) { try connection.receiveEnd(before: shortly) }
    server.close()
    #expect(throws: ControlConnectionError.timedOut) { try connection.receiveEnd(before: shortly) }
  }

  @Test("A closed server is not found any more")
  func close() {
    server.close()
    #expect(!fileExists(server.path))
    let failure = #expect(throws: CommandFailure.self) { try ControlClient(path: server.path).ask(.status) }
    #expect(failure?.status == .unavailable)
  }
}

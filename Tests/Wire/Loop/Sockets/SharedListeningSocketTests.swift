import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineLoop

@Suite("Listening sockets that loops share") struct SharedListeningSocketTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func status(_ path: String) -> FileStatus? {
    SystemCalls.statusIfPresent(of: path, followsLinks: false)
  }

  @Test("A local socket is its user's alone, and its name goes with it")
  func local() throws {
    let path = directory.path("proxy.sock")
    let socket = try SharedListeningSocket(path: path)
    #expect(status(path)?.permissions == 0o600 && status(path)?.kind == .socket)
    #expect(socket.address == nil && socket.path == path)
    socket.remove()
    #expect(status(path) == nil)
  }

  @Test("The socket of a process that is gone is replaced; one at which somebody listens, and any other file, is not")
  func stale() throws {
    let path = directory.path("proxy.sock")
    let abandoned = try SystemCalls.makeLocalSocket()
    try SystemCalls.bindLocal(abandoned, to: path)
    SystemCalls.discard(abandoned)
    let socket = try SharedListeningSocket(path: path)
    #expect(throws: LoopError.self) { try SharedListeningSocket(path: path) }
    #expect(status(path)?.kind == .socket)
    socket.remove()
    try WholeFile.write(Array("mine".utf8), to: path)
    #expect(throws: LoopError.self) { try SharedListeningSocket(path: path) }
    #expect(status(path)?.kind == .regular)
  }

  @Test("A name that somebody else has taken since is not removed")
  func replaced() throws {
    let path = directory.path("proxy.sock")
    let first = try SharedListeningSocket(path: path)
    SystemCalls.removeIfPossible(path)
    let second = try SharedListeningSocket(path: path)
    first.remove()
    #expect(status(path) != nil)
    withExtendedLifetime(second) {}
  }

  @Test("A path that is too long is refused")
  func tooLong() {
    #expect(throws: LoopError.self) { try SharedListeningSocket(path: "/tmp/" + String(repeating: "x", count: 200)) }
  }
}

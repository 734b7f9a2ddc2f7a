import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

/// Real sockets. A kernel that refuses io_uring has nothing to test: there the channels send one by one, which their tests show.
@Suite(.enabled(if: SendRing() != nil, "io_uring is refused here"))
struct SendRingTests {
  let ring: SendRing

  init() throws {
    ring = try #require(SendRing())
  }

  /// Two connected sockets.
  private final class Pair {
    let near: Int32
    let far: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
      let status = unsafe socketpair(AF_UNIX, Int32(type), 0, &ends)
      try #require(status == 0)
      (near, far) = (ends[0], ends[1])
    }

    deinit {
      SystemCalls.discard(near)
      SystemCalls.discard(far)
    }

    /// What has come at the far end; `nil` if nothing has.
    func received() throws -> [UInt8]? { try SystemCalls.read(far, upTo: 1000) }
  }

  private func append(_ bytes: [UInt8], to socket: Int32) -> Bool { ring.append(bytes.span, to: socket) }

  @Test func eachSocketGetsItsBytes() throws {
    let first = try Pair()
    let second = try Pair()
    #expect(append(Array("one".utf8), to: first.near))
    #expect(append(Array("and two".utf8), to: second.near))
    #expect(ring.send())
    #expect(try ring.result(at: 0) == .done(3))
    #expect(try ring.result(at: 1) == .done(7))
    #expect(try first.received() == Array("one".utf8))
    #expect(try second.received() == Array("and two".utf8))

    ring.removeAll()
    #expect(append([7], to: second.near))
    #expect(ring.send())
    #expect(try second.received() == [7])
    #expect(try first.received() == nil, "what was sent is forgotten")
  }

  @Test func aFullSocketAndAClosedOneKeepNoOther() throws {
    let full = try Pair()
    while case .done = try SystemCalls.send([UInt8](repeating: 0, count: 4096)[...], to: full.near) {}
    let closed = try Pair()
    try SystemCalls.shutdown(closed.far)
    let open = try Pair()
    _ = append([1], to: full.near)
    _ = append([1], to: closed.near)
    _ = append([1], to: open.near)
    #expect(ring.send())
    #expect(try ring.result(at: 0) == .wouldBlock)
    #expect(throws: SystemCallError.self) { try ring.result(at: 1) }
    #expect(try ring.result(at: 2) == .done(1))
    #expect(try open.received() == [1])
  }

  @Test func roomIsLimited() throws {
    let pair = try Pair()
    let socket = pair.near
    let taken = (0..<100).map { _ in append([1], to: socket) }
    #expect(taken == (0..<100).map { $0 < 64 })
    #expect(ring.send())
    #expect(try pair.received()?.count == 64)
    ring.removeAll()
    let large = [UInt8](repeating: 0, count: 100_000)
    #expect(append(large, to: socket))
    #expect(append(large, to: socket))
    #expect(!append(large, to: socket))
  }
}

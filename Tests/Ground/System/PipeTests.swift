import CTapeline
import Glibc
import TapelineSystem
import Testing

@Suite struct PipeTests {
  @Test("Bytes go from a socket through a pipe to another, and none are lost")
  func splicing() throws {
    var (source, destination): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &source) == 0)
    #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &destination) == 0)
    let ends = source + destination
    defer { for end in ends { SystemCalls.discard(end) } }
    let pipe = try Pipe(capacity: 64 * 1024)
    #expect(pipe.capacity >= 64 * 1024)
    let (input, output) = (pipe.input.rawValue, pipe.output.rawValue)
    #expect(fcntl(input, F_GETFD) == FD_CLOEXEC && fcntl(output, F_GETFD) == FD_CLOEXEC)

    #expect(try SystemCalls.splice(from: output, to: destination[0], count: 1) == .wouldBlock, "nothing is inside")
    try SystemCalls.writeAll(Array("abcdef".utf8).span, to: source[0])
    #expect(try SystemCalls.bytesWaiting(in: source[1]) == 6)
    #expect(try SystemCalls.splice(from: source[1], to: input, count: 4) == .done(4))
    #expect(try SystemCalls.bytesWaiting(in: source[1]) == 2)
    #expect(try SystemCalls.splice(from: output, to: destination[0], count: 10) == .done(4))
    #expect(try SystemCalls.read(destination[1], upTo: 10) == Array("abcd".utf8))

    #expect(try SystemCalls.splice(from: source[1], to: input, count: 4) == .done(2))
    #expect(shutdown(source[0], Int32(SHUT_WR)) == 0)
    #expect(try SystemCalls.splice(from: source[1], to: input, count: 4) == .done(0), "the end")
    pipe.discard()
  }

  @Test("A pipe larger than the system grants is an error, and leaves no descriptor")
  func tooLarge() throws {
    #expect(throws: SystemCallError.self) { try Pipe(capacity: 1 << 31 - 1).discard() }
  }
}

import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("Writing all")
struct WriteAllTests {
  @Test func everythingIsWritten() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("a")
    let bytes = [UInt8](repeating: 0x61, count: 1 << 20)
    let descriptor = try SystemCalls.open(path, [.writeOnly, .create])
    try SystemCalls.writeAll(bytes.span, to: descriptor)
    try SystemCalls.writeAll(bytes.span.extracting(0..<0), to: descriptor)
    try SystemCalls.close(descriptor)
    #expect(try readFile(path) == bytes)
  }

  @Test func theErrorIsGiven() throws {
    let descriptor = try SystemCalls.open("/dev/full", .writeOnly)
    #expect(throws: SystemCallError(code: ENOSPC, call: .write)) {
      try SystemCalls.writeAll(([1] as [UInt8]).span, to: descriptor)
    }
    try SystemCalls.close(descriptor)
  }

  @Test func itWaitsForRoomInANonBlockingPipe() throws {
    let pipe = try SystemCalls.makePipe(isNonBlocking: true)
    let bytes = [UInt8](repeating: 0x61, count: 1 << 20)
    let thread = try SystemThread(name: "writer") {
      do throws(SystemCallError) {
        try SystemCalls.writeAll(bytes.span, to: pipe.write)
      } catch {
        // The reader notices.
      }
      SystemCalls.discard(pipe.write)
    }
    var count = 0
    while try SystemCalls.wait(for: .readable, on: pipe.read, milliseconds: 10_000),
      let piece = try SystemCalls.read(pipe.read, upTo: 1 << 16), !piece.isEmpty
    {
      count += piece.count
    }
    thread.join()
    SystemCalls.discard(pipe.read)
    #expect(count == bytes.count)
  }
}

import CTapeline
import Glibc
import TapelineSystem
import Testing

struct SystemCallsTests {
  private func makePipe() throws -> (read: Int32, write: Int32) {
    try SystemCalls.makePipe(isNonBlocking: true)
  }

  @Test func wouldBlockIsAValueAndEndIsZero() throws {
    let (reading, writing) = try makePipe()
    var bytes: [UInt8] = [0, 0, 0, 0]
    func read() throws -> IOResult {
      try unsafe bytes.withUnsafeMutableBytes { try unsafe SystemCalls.read(reading, into: $0) }
    }
    #expect(try read() == .wouldBlock)
    let written = try unsafe [UInt8](1...3).withUnsafeBytes { try unsafe SystemCalls.write(writing, from: $0) }
    #expect(written == .done(3))
    #expect(try read() == .done(3))
    #expect(bytes == [1, 2, 3, 0])
    try SystemCalls.close(writing)
    #expect(try read() == .done(0))
    try SystemCalls.close(reading)
  }

  @Test func interruptedCallsAreRetried() throws {
    var results: [Int32] = [-EINTR, -EINTR, 5]
    #expect(try SystemCalls.retrying(.listen) { results.removeFirst() } == 5)
    #expect(results.isEmpty)
  }

  @Test func otherErrorsAreThrownWithTheirCall() {
    #expect(throws: SystemCallError(code: EADDRINUSE, call: .bind)) {
      try SystemCalls.retrying(.bind) { -EADDRINUSE }
    }
    #expect(SystemCallError(code: EADDRINUSE, call: .bind).description == "bind: Address already in use")
  }

  @Test func aDescriptorUsedAfterItsCloseIsABug() async {
    await #expect(processExitsWith: .failure) {
      _ = try SystemCalls.retrying(.listen) { -EBADF }
    }
  }

  @Test func aDescriptorClosedTwiceIsABug() async {
    await #expect(processExitsWith: .failure) {
      let descriptor = tapeline_eventfd()
      try SystemCalls.close(descriptor)
      try SystemCalls.close(descriptor)
    }
  }
}

import Glibc
import TapelineSystem
import Testing

@Suite("Waiting")
struct SystemCallsWaitingTests {
  @Test("A bell is ready from its first ring until it is silenced")
  func bell() throws {
    let bell = try SystemCalls.makeBell()
    #expect(try !SystemCalls.wait(for: .readable, on: bell, milliseconds: 0))
    try SystemCalls.ring(bell)
    try SystemCalls.ring(bell)
    #expect(try SystemCalls.wait(for: .readable, on: bell, milliseconds: 0))
    try SystemCalls.silence(bell)
    #expect(try !SystemCalls.wait(for: .readable, on: bell, milliseconds: 0))
    SystemCalls.discard(bell)
  }

  @Test("Of several descriptors those are named that are ready; none is what has a negative number")
  func poll() throws {
    let pipe = try SystemCalls.makePipe(isNonBlocking: true)
    var requests = [
      PollRequest(.readable, on: pipe.read), PollRequest(.writable, on: pipe.write), PollRequest(.readable, on: -1),
    ]
    let isAnyReady = SystemCalls.poll(&requests, milliseconds: 0)
    #expect(isAnyReady)
    #expect(requests.map(\.isReady) == [false, true, false])
    SystemCalls.discard(pipe.write)
    var request = [PollRequest(.readable, on: pipe.read)]
    // A child of another test may have the other end until it runs its program.
    SystemCalls.poll(&request, milliseconds: 60_000)
    #expect(request[0].isReady && request[0].isHungUp)
    SystemCalls.discard(pipe.read)
  }
}

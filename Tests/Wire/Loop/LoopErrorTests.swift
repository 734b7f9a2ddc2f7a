import Glibc
import TapelineSystem
import Testing

@testable import TapelineLoop

struct LoopErrorTests {
  @Test(arguments: [
    (ECONNREFUSED, LoopError.Kind.refused), (ECONNRESET, .reset), (EPIPE, .reset), (ENETUNREACH, .unreachable),
    (EHOSTUNREACH, .unreachable), (ETIMEDOUT, .timedOut), (EMFILE, .tooManyFiles), (ENFILE, .tooManyFiles),
    (EADDRINUSE, .addressInUse),
    (EADDRNOTAVAIL, .addressNotAvailable), (EACCES, .permissionDenied), (EIO, .other(EIO)),
  ])
  func codesHaveAMeaning(_ code: Int32, _ kind: LoopError.Kind) {
    #expect(LoopError.Kind(code: code) == kind)
  }

  @Test func saysWhatFailedAndWhy() {
    let cause = SystemCallError(code: ECONNREFUSED, call: .connect)
    #expect(LoopError(cause, subject: "127.0.0.1:80").message == "connect 127.0.0.1:80: Connection refused")
    #expect(LoopError(cause).description == "connect: Connection refused")
  }
}

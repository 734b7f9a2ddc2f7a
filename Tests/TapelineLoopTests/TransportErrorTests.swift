import Glibc
import Testing

@testable import TapelineLoop

struct TransportErrorTests {
  @Test(arguments: [
    (ECONNREFUSED, TransportError.Kind.refused), (ECONNRESET, .reset), (EPIPE, .reset), (ENETUNREACH, .unreachable),
    (EHOSTUNREACH, .unreachable), (ETIMEDOUT, .timedOut), (EMFILE, .tooManyFiles), (ENFILE, .tooManyFiles),
    (EADDRINUSE, .addressInUse),
    (EADDRNOTAVAIL, .addressNotAvailable), (EACCES, .permissionDenied), (EIO, .other(EIO)),
  ])
  func codesHaveAMeaning(_ code: Int32, _ kind: TransportError.Kind) {
    #expect(TransportError.Kind(code: code) == kind)
  }

  @Test func saysWhatFailedAndWhy() {
    let cause = SystemCallError(code: ECONNREFUSED, call: .connect)
    let error = TransportError(cause, origin: .upstream, phase: .connect, subject: "127.0.0.1:80")
    #expect(error.message == "connect 127.0.0.1:80: Connection refused")
    #expect(error.description == "upstream connect: connect 127.0.0.1:80: Connection refused")
    #expect(TransportError(cause, origin: .local, phase: .send).message == "connect: Connection refused")
  }

  @Test func learnsItsSideAndPhaseLater() {
    let error = TransportError(SystemCallError(code: ECONNRESET, call: .read), origin: .local, phase: .receive)
    let known = error.at(.upstream, .wait)
    #expect(known.origin == .upstream && known.phase == .wait)
    #expect(known.kind == error.kind && known.message == error.message)
  }
}

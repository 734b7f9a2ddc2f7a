import TapelineCore
import TapelineTransport
import Testing

@Suite struct ErrorTapelineErrorTests {
  private struct Foreign: Error {}

  @Test("A foreign error is wrapped by the given default; the library's own error is kept")
  func wrapping() {
    let foreign: any Error = Foreign()
    #expect(foreign.asTapelineError == nil)
    #expect(foreign.asTapelineError(or: .createURLRequestFailed(error: foreign)).underlyingError is Foreign)
    let own: any Error = TapelineError.explicitlyCancelled
    #expect(own.asTapelineError(or: .sessionDeinitialized).isExplicitlyCancelledError)
    #expect(own.asTapelineError(orFailWith: "no").isExplicitlyCancelledError)
    #expect(own.asTapelineError != nil)
  }

  @Test("Insisting that a foreign error is the library's ends the program")
  func insisting() async {
    await #expect(processExitsWith: .failure) {
      _ = Foreign().asTapelineError(orFailWith: "a retrier gave a foreign error")
    }
  }

  @Test func theTransportsErrorIsFoundInside() {
    let error = TransportError(origin: .upstream, phase: .connect, kind: .refused, message: "refused")
    let failed = TapelineError.sessionTaskFailed(error: error)
    #expect(failed.transportError == error)
    #expect(TapelineError.sessionTaskFailed(error: failed).transportError == error)
    #expect(TapelineError.sessionTaskFailed(error: Foreign()).transportError == nil)
    #expect(TapelineError.explicitlyCancelled.transportError == nil)
    #expect(Optional(error).map(TapelineError.sessionTaskFailed)?.isSessionTaskError == true)
  }
}

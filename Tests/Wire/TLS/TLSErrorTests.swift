import Testing

@testable import TapelineTLS

struct TLSErrorTests {
  @Test func itsDescriptionIsItsMessage() {
    #expect("\(TLSError(.truncated, "a sentence"))" == "a sentence")
  }
}

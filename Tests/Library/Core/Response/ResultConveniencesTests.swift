import Testing

@testable import TapelineCore

@Suite struct ResultConveniencesTests {
  private struct Mishap: Error, CustomStringConvertible {
    let description = "it broke"
  }

  @Test("A result has value, error, isSuccess, isFailure and both texts")
  func texts() {
    let success = Result<Int, Mishap>.success(5)
    let failure = Result<Int, Mishap>.failure(Mishap())
    #expect(success.value == 5 && success.error == nil && success.isSuccess && !success.isFailure)
    #expect(failure.value == nil && failure.error != nil && failure.isFailure && !failure.isSuccess)
    #expect(success.outcomeText == "SUCCESS" && failure.outcomeText == "FAILURE")
    #expect(success.debugText == "SUCCESS: 5")
    #expect(failure.debugText == "FAILURE: it broke")
  }

  @Test("AFResult(value:error:) fails if there is an error")
  func ofBoth() {
    #expect(AFResult(value: 5, error: nil).value == 5)
    #expect(AFResult(value: 5, error: .explicitlyCancelled).error?.isExplicitlyCancelledError == true)
  }
}

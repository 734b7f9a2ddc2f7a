import ArgumentParser
import TapelineOffline
import Testing

@testable import tapeline

@Suite("Access options")
struct AccessOptionsTests {
  @Test("What is no pair is refused before anything is read, and not shown")
  func validation() throws {
    try CredentialPair.validate(nil, for: "--auth")
    try CredentialPair.validate("@nowhere", for: "--auth")
    try CredentialPair.validate("user:pass", for: "--auth")
    let error = #expect(throws: ValidationError.self) { try CredentialPair.validate("onlythesecret", for: "--auth") }
    #expect(error.map { !"\($0)".contains("onlythesecret") } == true)
  }
}

import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct CredentialStorageTests {
  private let general = Credential(user: "general", password: "1")
  private let special = Credential(user: "special", password: "2")

  @Test("A host's credential is for all its ports and realms, unless a more specific credential exists")
  func precedence() {
    var storage = CredentialStorage()
    storage.set(general, forHost: "Origin.Example")
    storage.set(special, forHost: "origin.example", port: 8080, realm: "r")
    #expect(storage.credential(forHost: "origin.example", port: 80) == general)
    #expect(storage.credential(forHost: "ORIGIN.example", port: 8080, realm: "x") == general)
    #expect(storage.credential(forHost: "origin.example", port: 8080, realm: "r") == special)
    #expect(storage.credential(forHost: "sub.origin.example", port: 80) == nil)
  }

  @Test("Realms count for more than ports")
  func realms() {
    var storage = CredentialStorage()
    storage.set(general, forHost: "h", port: 1)
    storage.set(special, forHost: "h", realm: "r")
    #expect(storage.credential(forHost: "h", port: 1, realm: "r") == special)
    #expect(storage.credential(forHost: "h", port: 1, realm: "q") == general)
  }

  @Test("A credential can be removed, and descriptions contain no credentials")
  func removal() {
    var storage = CredentialStorage()
    storage.set(general, forHost: "h")
    #expect("\(storage)" == "1 credentials")
    storage.set(nil, forHost: "H")
    #expect(storage.credential(forHost: "h", port: 80) == nil)
  }
}

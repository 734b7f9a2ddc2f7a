import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineOffline

@Suite("Credentials on the command line")
struct CredentialPairTests {
  @Test("RFC 7617 2: a name without a colon, and a password that may have them")
  func pairs() throws {
    #expect(CredentialPair("user:pass")?.text == "user:pass")
    #expect(CredentialPair("user:")?.text == "user:")
    #expect(CredentialPair("user:a:b")?.text == "user:a:b")
    for text in ["", "user", ":pass"] {
      #expect(CredentialPair(text) == nil, "\(text)")
    }
  }

  @Test(
    "RFC 3986 3.2.1: as user information, everything but unreserved characters is encoded",
    arguments: [
      ("user:pass", "user:pass"), ("me@home:p@ss:w/rd?#[]%", "me%40home:p%40ss%3Aw%2Frd%3F%23%5B%5D%25"),
      ("a b:£", "a%20b:%C2%A3"),
      ("user:", "user:"), ("A-z_0.9~:$&+,;=", "A-z_0.9~:%24%26%2B%2C%3B%3D"),
    ])
  func userInformation(text: String, expected: String) throws {
    #expect(try #require(CredentialPair(text)).userInformation == expected)
  }

  @Test("A file's first line, of a file that nobody else can use")
  func files() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("user:from a file\r\nsecond line\n", to: "auth", mode: 0o600)
    #expect(try CredentialPair.read("@\(file)", for: "--auth").text == "user:from a file")
    #expect(try CredentialPair.read("user:given", for: "--auth").text == "user:given")
  }

  @Test("A file that others can use is refused, as ssh does", arguments: [0o644, 0o640, 0o604, 0o620, 0o602])
  func openFiles(mode: UInt32) throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("user:pass", to: "auth", mode: 0o600)
    try SystemCalls.setPermissions(mode, of: file)
    let failure = #expect(throws: CommandFailure.self) { try CredentialPair.read("@\(file)", for: "--auth") }
    #expect(failure?.status == .badInput)
    #expect(failure?.description == "--auth @\(file): others may use it (mode \(String(mode, radix: 8))); chmod 600 \(file)")
  }

  @Test("What cannot be read, is too long or holds no pair")
  func badFiles() throws {
    let directory = try TemporaryDirectory()
    for file in [
      directory.path("nowhere"), try directory.write("no pair\n", to: "none", mode: 0o600),
      try directory.write(String(repeating: "a:", count: 5_000), to: "long", mode: 0o600), directory.path,
    ] {
      let failure = #expect(throws: CommandFailure.self) { try CredentialPair.read("@\(file)", for: "--auth") }
      #expect(failure?.status == .badInput)
      #expect(failure?.what == "--auth @\(file)")
    }
  }
}

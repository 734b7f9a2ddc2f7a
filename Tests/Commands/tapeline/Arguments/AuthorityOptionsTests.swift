import ArgumentParser
import TapelineTLS
import Testing

@testable import tapeline

@Suite("Authority options")
struct AuthorityOptionsTests {
  @Test("The directory is the one that is named, in full, or the user's")
  func directory() throws {
    let named = try AuthorityOptions.parse(["--ca-dir", "/data/ca"])
    #expect(named.directory(environment: ["HOME": "/home/me"]).path == "/data/ca")
    let relative = try AuthorityOptions.parse(["--ca-dir", "ca"])
    #expect(relative.directory(environment: [:]).path.hasPrefix("/"))
    #expect(relative.directory(environment: [:]).path.hasSuffix("/ca"))
    let none = try AuthorityOptions.parse([])
    #expect(none.directory(environment: ["HOME": "/home/me"]).path == "/home/me/.local/share/tapeline")
  }
}

import Testing

@testable import TapelineTLS

@Suite("Authority directory")
struct AuthorityDirectoryTests {
  @Test(
    "XDG_DATA_HOME says where, then HOME; relative paths say nothing",
    arguments: [
      (["XDG_DATA_HOME": "/data", "HOME": "/home/me"], "/data/tapeline"),
      (["XDG_DATA_HOME": "data", "HOME": "/home/me"], "/home/me/.local/share/tapeline"),
      (["XDG_DATA_HOME": "", "HOME": "/home/me"], "/home/me/.local/share/tapeline"),
    ])
  func location(environment: [String: String], path: String) {
    #expect(AuthorityDirectory(environment: environment).path == path)
  }

  @Test("Without either the user's entry does")
  func user() {
    let path = AuthorityDirectory(environment: [:]).path
    #expect(path.hasPrefix("/"))
    #expect(path.hasSuffix("/.local/share/tapeline"))
  }

  @Test("The files in it")
  func files() {
    let directory = AuthorityDirectory(path: "/x")
    #expect(directory.certificateFile == "/x/ca.pem")
    #expect(directory.keyFile == "/x/ca.key")
  }
}

import TapelineLoop
import Testing

@testable import TapelineLive

@Suite("Bypass")
struct BypassTests {
  private let given = ["http_proxy": "http://127.0.0.1:80", "https_proxy": "http://127.0.0.1:80", "NO_PROXY": ".corp"]

  private func reason(
    _ environment: [String: String]?, program: String = "client", language: Bypass.Language? = nil,
    to address: String? = "127.0.0.1"
  ) throws -> Bypass.Reason? {
    let destination = try address.map { try #require(SocketAddress(literal: $0, port: 9)) }
    return Bypass.Reason(program: program, language: language, environment: environment, given: given, destination: destination)
  }

  @Test("An environment without our proxy, also an empty one; one that is not known gives no cause")
  func noProxyNamed() throws {
    #expect(try reason(["PATH": "/bin"]) == .noProxyNamed)
    #expect(try reason(["http_proxy": "http://other"]) == .noProxyNamed)
    #expect(try reason([:]) == .noProxyNamed)
    #expect(try reason(nil) == nil, "another user's, or the process has ended")
    #expect(try reason(nil, to: nil) == nil)
    #expect(try reason(nil, program: "node") == nil)
    #expect(try reason(["http_proxy": "http://127.0.0.1:80"]) == nil)
  }

  @Test("Exceptions that are not those we have given")
  func excepted() throws {
    #expect(try reason(given) == nil)
    #expect(
      try reason(given.merging(["NO_PROXY": "localhost"]) { $1 }) == .excepted(variable: "NO_PROXY", value: "localhost"))
    #expect(try reason(given.merging(["no_proxy": "*"]) { $1 }) == .excepted(variable: "no_proxy", value: "*"))
  }

  @Test("Go and Ruby, for this machine and where it is not known to which; Node.js without our script")
  func programs() throws {
    for language in [Bypass.Language.go, .ruby] {
      #expect(try reason(given, language: language) == .language(language))
      #expect(try reason(nil, language: language) == .language(language))
      #expect(try reason(given, language: language, to: nil) == .language(language))
      #expect(try reason(given, language: language, to: "192.0.2.1") == nil)
    }
    #expect(try reason(given, program: "node") == .nodeWithoutScript)
    #expect(try reason(given.merging(["NODE_OPTIONS": "--require /x/tapeline-node.cjs"]) { $1 }, program: "node") == nil)
  }

  @Test("Go's note is found at the front of a program, and nowhere else")
  func goProgram() {
    let elf: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
    let note: [UInt8] = [4, 0, 0, 0, 83, 0, 0, 0, 4, 0, 0, 0] + Array("Go\0\0build".utf8)
    #expect(GoProgram.isOne((elf + [UInt8](repeating: 0, count: 4_000) + note)[...]))
    #expect(!GoProgram.isOne((elf + [UInt8](repeating: 0, count: 4_000))[...]))
    #expect(!GoProgram.isOne(note[...]))
    #expect(!GoProgram.isOne("/bin/sh"))
    #expect(!GoProgram.isOne("/no/such/file"))
  }
}

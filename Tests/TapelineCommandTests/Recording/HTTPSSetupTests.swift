import ArgumentParser
import TapelineProxy
import TapelineTLS
import TapelineTestSupport
import TapelineText
import Testing

@testable import tapeline

@Suite("HTTPS setup")
struct HTTPSSetupTests {
  private func options(_ directory: TemporaryDirectory, _ arguments: [String] = []) throws -> HTTPSOptions {
    try HTTPSOptions.parse(["--ca-dir", directory.path("ca")] + arguments)
  }

  @Test("The authority is made at the first need, and the options reach the policy")
  func setup() throws {
    let directory = try TemporaryDirectory()
    let options = try options(directory, ["--intercept-host", "a.example", "--passthrough-host", "b.a.example", "--strict"])
    let setup = try HTTPSSetup(options: options, environment: [:])
    #expect(setup.interception.interceptHosts.map(\.description) == ["a.example"])
    #expect(setup.interception.passthroughHosts.map(\.description) == ["b.a.example"])
    #expect(!setup.interception.failsOpen)
    let first = try AuthorityCertificate.load(from: setup.authorityDirectory).fingerprint
    let again = try HTTPSSetup(options: options, environment: [:])
    #expect(try AuthorityCertificate.load(from: again.authorityDirectory).fingerprint == first)
  }

  @Test("Keys are logged where SSLKEYLOGFILE says, to the owner alone")
  func keyLog() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("keys")
    _ = try HTTPSSetup(options: try options(directory), environment: ["SSLKEYLOGFILE": path])
    #expect(fileExists(path))
    #expect(throws: Never.self) { try HTTPSSetup(options: try options(directory), environment: ["SSLKEYLOGFILE": ""]) }
  }

  @Test("A file that is no certificate and a directory that cannot be are said")
  func errors() throws {
    let directory = try TemporaryDirectory()
    let missing = try options(directory, ["--upstream-ca", directory.path("missing.pem")])
    let upstream = #expect(throws: CommandFailure.self) { try HTTPSSetup(options: missing, environment: [:]) }
    #expect(upstream?.status == .badInput)
    #expect(upstream?.why.contains(directory.path("missing.pem")) == true)
    let file = try directory.write("", to: "file")
    let nowhere = try HTTPSOptions.parse(["--ca-dir", file])
    #expect(throws: CommandFailure.self) { try HTTPSSetup(options: nowhere, environment: [:]) }
  }
}

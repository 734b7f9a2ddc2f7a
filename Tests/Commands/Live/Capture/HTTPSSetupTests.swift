import TapelineOffline
import TapelineProxy
import TapelineTLS
import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineLive

@Suite("HTTPS setup")
struct HTTPSSetupTests {
  private func configuration(_ directory: TemporaryDirectory) -> HTTPSConfiguration {
    var configuration = HTTPSConfiguration()
    configuration.authorityDirectory = directory.path("ca")
    return configuration
  }

  @Test("The authority is created on first use, and the configuration reaches the policy")
  func setup() throws {
    let directory = try TemporaryDirectory()
    var configuration = configuration(directory)
    configuration.interceptHosts = [try #require(HostPattern("a.example"))]
    configuration.passthroughHosts = [try #require(HostPattern("b.a.example"))]
    configuration.failsOpen = false
    let setup = try HTTPSSetup(configuration: configuration, speaksHTTP2: true, environment: [:])
    #expect(setup.interception.interceptHosts.map(\.description) == ["a.example"])
    #expect(setup.interception.passthroughHosts.map(\.description) == ["b.a.example"])
    #expect(!setup.interception.failsOpen)
    let first = try AuthorityCertificate.load(from: setup.authorityDirectory).fingerprint
    let again = try HTTPSSetup(configuration: configuration, speaksHTTP2: true, environment: [:])
    #expect(try AuthorityCertificate.load(from: again.authorityDirectory).fingerprint == first)
  }

  @Test("Keys go to the file that SSLKEYLOGFILE names, which only the owner can read")
  func keyLog() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("keys")
    for (file, exists) in [("", false), (path, true)] {
      _ = try HTTPSSetup(
        configuration: configuration(directory), speaksHTTP2: true, environment: ["SSLKEYLOGFILE": file])
      #expect(fileExists(path) == exists)
    }
  }

  @Test("A file that is not a certificate and an impossible directory are reported")
  func errors() throws {
    let directory = try TemporaryDirectory()
    var missing = configuration(directory)
    missing.upstreamAuthority = directory.path("missing.pem")
    let upstream = #expect(throws: CommandFailure.self) {
      try HTTPSSetup(configuration: missing, speaksHTTP2: true, environment: [:])
    }
    #expect(upstream?.status == .badInput)
    #expect(upstream?.why.contains(directory.path("missing.pem")) == true)
    let file = try directory.write("", to: "file")
    var nowhere = HTTPSConfiguration()
    nowhere.authorityDirectory = file
    #expect(throws: CommandFailure.self) { try HTTPSSetup(configuration: nowhere, speaksHTTP2: true, environment: [:]) }
  }
}

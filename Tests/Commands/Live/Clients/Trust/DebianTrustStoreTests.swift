import TapelineOffline
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Debian trust store")
struct DebianTrustStoreTests {
  private let temporary: TemporaryDirectory
  private let certificate: AuthorityCertificate
  private let home = AuthorityDirectory(path: "/home/me")

  init() throws {
    temporary = try TemporaryDirectory()
    certificate = try CertificateAuthority.make(commonName: "test", validity: 0...1).certificate
  }

  /// Its updater writes down that it ran.
  private func store(updaterStatus: Int = 0) throws -> DebianTrustStore {
    let updater = try temporary.write(
      "#!/bin/sh\necho >> \(temporary.path("runs"))\nexit \(updaterStatus)\n", to: "update", mode: 0o755)
    return DebianTrustStore(directory: try temporary.makeDirectory("certificates"), updater: updater)
  }

  private func runs() -> Int {
    (try? readFile(temporary.path("runs")))?.count ?? 0
  }

  @Test("Installing copies the certificate for everybody and has the store made anew; removing undoes both")
  func installation() throws {
    let store = try store()
    let file = try store.install(certificate, from: home)
    #expect(file == "\(store.directory)/tapeline-\(certificate.fingerprint.prefix(16)).crt")
    #expect(try readText(file) == certificate.pem)
    #expect(runs() == 1)
    #expect(try store.install(certificate, from: home) == file)
    #expect(try store.remove(certificate, from: home))
    #expect(!fileExists(file))
    #expect(runs() == 3)
    #expect(try !store.remove(certificate, from: home))
    #expect(runs() == 4)
  }

  @Test("Another authority's certificate stays")
  func others() throws {
    let store = try store()
    let other = try CertificateAuthority.make(commonName: "test", validity: 0...1).certificate
    let file = try store.install(other, from: home)
    _ = try store.install(certificate, from: home)
    _ = try store.remove(certificate, from: home)
    #expect(fileExists(file))
  }

  @Test("A system of another kind is told apart")
  func otherSystem() throws {
    let store = DebianTrustStore(directory: temporary.path("none"), updater: temporary.path("none"))
    let failure = #expect(throws: CommandFailure.self) { try store.install(certificate, from: home) }
    #expect(failure?.status == .unavailable)
    #expect(failure?.what == "--install")
  }

  @Test("An updater that fails is said")
  func updaterFails() throws {
    let store = try store(updaterStatus: 3)
    let failure = #expect(throws: CommandFailure.self) { try store.install(certificate, from: home) }
    #expect(failure?.status == .writeFailed)
    #expect(failure?.why == "it ended with status 3")
  }
}

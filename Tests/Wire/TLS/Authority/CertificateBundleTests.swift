import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineTLS

@Suite("Certificate bundle")
struct CertificateBundleTests {
  private let temporary: TemporaryDirectory
  private let authority: CertificateAuthority

  init() throws {
    temporary = try TemporaryDirectory()
    authority = try .make(now: wallClockSeconds())
  }

  private func pem() throws -> String { try CertificateAuthority.make(now: wallClockSeconds()).certificate.pem }

  @Test("It has every certificate once, in order, ours last, and no key")
  func contents() throws {
    let (one, two) = (try pem(), try pem())
    let roots = try temporary.write("# roots\n\(one)\(two)", to: "roots.pem")
    let own = try temporary.write("\(two)\(authority.key.pem)", to: "own.pem", mode: 0o600)
    let path = temporary.path("bundle.pem")
    try CertificateBundle(files: [roots, own], adding: authority.certificate).write(to: path)
    #expect(try readText(path) == one + two + authority.certificate.pem)
    #expect(try fileMode(path) == 0o644)
  }

  @Test("A last line without an end does not run into the next certificate")
  func unterminated() throws {
    let one = try pem()
    let roots = try temporary.write(String(one.dropLast()), to: "roots.pem")
    let path = temporary.path("bundle.pem")
    try CertificateBundle(files: [roots], adding: authority.certificate).write(to: path)
    #expect(try readText(path) == one + authority.certificate.pem)
  }

  @Test("A bundle that is there is replaced as a whole")
  func replacement() throws {
    let path = try temporary.write(String(repeating: "old", count: 10_000), to: "bundle.pem")
    try CertificateBundle(files: [], adding: authority.certificate).write(to: path)
    #expect(try readText(path) == authority.certificate.pem)
  }

  @Test("A file that is missing, or has no certificate, is named")
  func refused() throws {
    let missing = temporary.path("missing.pem")
    let error = #expect(throws: AuthorityError.self) {
      try CertificateBundle(files: [missing], adding: authority.certificate)
    }
    #expect(error?.what == missing)
    let empty = try temporary.write("nothing", to: "empty.pem")
    let other = #expect(throws: AuthorityError.self) {
      try CertificateBundle(files: [empty], adding: authority.certificate)
    }
    #expect(other?.kind == .unusable)
  }

  @Test("The environment's roots come before the machine's")
  func systemRoots() throws {
    let file = try temporary.write("x", to: "roots.pem")
    #expect(CertificateBundle.systemRoots(environment: ["SSL_CERT_FILE": file]) == file)
    let usual = CertificateBundle.systemRoots(environment: [:])
    #expect(CertificateBundle.systemRoots(environment: ["SSL_CERT_FILE": temporary.path("missing")]) == usual)
  }

  @Test("An OpenSSL from another system gets this system's roots, unless a place of its own or a named one exists")
  func rootsElsewhere() throws {
    let missing = [temporary.path("cert.pem"), temporary.path("certs")]
    #expect(
      CertificateBundle.rootsElsewhere(environment: [:], defaults: missing) == CertificateBundle.systemRoots(environment: [:]))
    let present = try temporary.write("x", to: "present.pem")
    #expect(CertificateBundle.rootsElsewhere(environment: [:], defaults: missing + [present]) == nil)
    for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
      #expect(CertificateBundle.rootsElsewhere(environment: [name: present], defaults: missing) == nil)
    }
  }
}

import COpenSSL
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineTLS

@Suite("Certificate authority in files")
struct CertificateAuthorityFilesTests {
  private static let now: Int64 = 1_795_266_801

  private let temporary: TemporaryDirectory
  private let directory: AuthorityDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    directory = AuthorityDirectory(path: temporary.path("share/tapeline"))
  }

  private func loadOrCreate(now: Int64 = now) throws(AuthorityError) -> CertificateAuthority {
    try .loadOrCreate(in: directory, now: now)
  }

  private func kind(now: Int64 = now) -> AuthorityError.Kind? {
    do throws(AuthorityError) {
      _ = try loadOrCreate(now: now)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test("It is made on first use, for this user only, and found again")
  func create() throws {
    let made = try loadOrCreate()
    #expect(try fileMode(directory.path) == 0o700)
    #expect(try fileMode(temporary.path("share")) == 0o700)
    #expect(try fileMode(directory.keyFile) == 0o600)
    #expect(try fileMode(directory.certificateFile) == 0o644)
    #expect(try readText(directory.keyFile).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let found = try loadOrCreate(now: Self.now + 100)
    #expect(found.certificate.fingerprint == made.certificate.fingerprint)
    #expect(try AuthorityCertificate.load(from: directory).fingerprint == made.certificate.fingerprint)
    // Nothing is left of the making.
    #expect(filesInDirectory() == ["ca.key", "ca.lock", "ca.pem"])
  }

  @Test("Many at once end up with one authority")
  func race() async throws {
    let directory = directory
    // Each has a lock of its own, as processes have: locks belong to open files.
    let fingerprints = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask { try CertificateAuthority.loadOrCreate(in: directory, now: Self.now).certificate.fingerprint }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(fingerprints.count == 1)
    #expect(try AuthorityCertificate.load(from: directory).fingerprint == fingerprints.first)
  }

  @Test("A half is never completed with something new")
  func incomplete() throws {
    let fingerprint = try loadOrCreate().certificate.fingerprint
    let key = try readFile(directory.keyFile)
    try SystemCalls.remove(directory.keyFile)
    #expect(kind() == .incomplete)
    #expect(try AuthorityCertificate.load(from: directory).fingerprint == fingerprint)
    try temporary.write(key, to: "share/tapeline/ca.key", mode: 0o600)
    try SystemCalls.remove(directory.certificateFile)
    #expect(kind() == .incomplete)
    #expect(try readFile(directory.keyFile) == key)
  }

  @Test("A key that others may use is refused", arguments: [0o640, 0o604, 0o620, 0o666] as [UInt32])
  func keyPermissions(mode: UInt32) throws {
    _ = try loadOrCreate()
    try SystemCalls.setPermissions(mode, of: directory.keyFile)
    #expect(kind() == .insecurePermissions)
    try SystemCalls.setPermissions(0o400, of: directory.keyFile)
    #expect(kind() == nil)
  }

  @Test("So is a directory that others may enter")
  func directoryPermissions() throws {
    _ = try loadOrCreate()
    try SystemCalls.setPermissions(0o770, of: directory.path)
    #expect(kind() == .insecurePermissions)
    try SystemCalls.setPermissions(0o755, of: directory.path)
    #expect(kind() == .insecurePermissions)
    try SystemCalls.setPermissions(0o700, of: directory.path)
    #expect(kind() == nil)
  }

  @Test("Key and certificate of two authorities do not go together")
  func mismatch() throws {
    _ = try loadOrCreate()
    let other = try CertificateAuthority.make(now: Self.now)
    try temporary.write(other.key.pem, to: "share/tapeline/ca.key", mode: 0o600)
    #expect(kind() == .mismatch)
  }

  @Test("An authority outside its time is refused, and stays")
  func validity() throws {
    let fingerprint = try loadOrCreate().certificate.fingerprint
    #expect(kind(now: Self.now + 3_653 * 86_400) == .expired)
    #expect(kind(now: Self.now - 7_200) == .notYetValid)
    #expect(try loadOrCreate().certificate.fingerprint == fingerprint)
  }

  @Test("Files of somebody else's are refused")
  func unusable() throws {
    _ = try loadOrCreate()
    let certificate = try readText(directory.certificateFile)
    let key = try readText(directory.keyFile)

    try temporary.write("nonsense", to: "share/tapeline/ca.key", mode: 0o600)
    #expect(kind() == .unusable)
    try temporary.write(encrypted(try loadOrCreateElsewhere().key), to: "share/tapeline/ca.key", mode: 0o600)
    #expect(kind() == .unusable)
    try temporary.write(key, to: "share/tapeline/ca.key", mode: 0o600)
    #expect(kind() == nil)

    try temporary.write("", to: "share/tapeline/ca.pem")
    #expect(kind() == .unusable)
    try temporary.write(String(certificate.dropLast(100)), to: "share/tapeline/ca.pem")
    #expect(kind() == .unusable)
    let authority = try loadOrCreateElsewhere()
    let leaf = try authority.leaf(
      for: LeafName(host: "example.test"), key: authority.key, validity: Self.now...(Self.now + 60))
    try temporary.write(PEM.text(label: "CERTIFICATE", der: leaf.der), to: "share/tapeline/ca.pem")
    #expect(kind() == .unusable)
  }

  /// With a password, which nobody must be asked for.
  private func encrypted(_ key: PrivateKeyHandle) -> [UInt8] {
    let memory = unsafe BIO_new(BIO_s_mem())
    defer { unsafe BIO_free(memory) }
    unsafe PEM_write_bio_PKCS8PrivateKey(memory, key.pointer, EVP_aes_256_cbc(), "secret", 6, nil, nil)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe BIO_read(memory, &bytes, Int32(bytes.count))
    return Array(bytes.prefix(Int(count)))
  }

  private func loadOrCreateElsewhere() throws -> CertificateAuthority {
    try .loadOrCreate(in: AuthorityDirectory(path: temporary.path("elsewhere")), now: Self.now)
  }

  @Test("Where nothing can be made, the system's reason is told")
  func noDirectory() throws {
    try temporary.write("a file", to: "share")
    let error = #expect(throws: AuthorityError.self) { try loadOrCreate() }
    #expect(error?.kind == .file)
    #expect(error?.why == "Not a directory")
  }

  @Test("Loading a certificate makes nothing")
  func missing() throws {
    let error = #expect(throws: AuthorityError.self) { try AuthorityCertificate.load(from: directory) }
    #expect(error?.kind == .missing)
    #expect(!fileExists(directory.path))
  }

  private func filesInDirectory() -> [String] {
    Directory.namesIfReadable(in: directory.path).filter { !$0.hasPrefix(".") }.sorted()
  }
}

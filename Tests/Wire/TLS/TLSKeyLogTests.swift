import TapelineTestSupport
import Testing

@testable import TapelineTLS

struct TLSKeyLogTests {
  @Test func bothEndsWriteTheirSecrets() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("keys.log")
    let contexts = try TestContexts(version: .tls13, keyLog: TLSKeyLog(path: path))
    #expect(try contexts.establishedPair().isEstablished)
    let lines = try readText(path).split(separator: "\n")
    let labels = Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    #expect(labels.contains("CLIENT_TRAFFIC_SECRET_0"))
    #expect(labels.contains("SERVER_HANDSHAKE_TRAFFIC_SECRET"))
    // Each end writes the same lines.
    #expect(Set(lines).count * 2 == lines.count)
  }

  @Test func nobodyElseMayReadIt() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("keys.log")
    _ = try TLSKeyLog(path: path)
    #expect(try fileMode(path) == 0o600)
  }

  @Test func whatWasThereStays() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(Array("# kept\n".utf8), to: "keys.log")
    let log = try TLSKeyLog(path: path)
    log.append("CLIENT_RANDOM 00 11")
    #expect(try readText(path) == "# kept\nCLIENT_RANDOM 00 11\n")
  }

  @Test func aPlaceThatCannotBeWrittenIsNamed() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("missing/keys.log")
    let error = #expect(throws: TLSError.self) { try TLSKeyLog(path: path) }
    #expect(error?.kind == .configuration)
    #expect(error?.message == "the key log \(path) cannot be opened: No such file or directory")
  }
}

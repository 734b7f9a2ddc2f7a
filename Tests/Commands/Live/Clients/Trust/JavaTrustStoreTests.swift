import TapelineOffline
import TapelineSystem
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Java trust store")
struct JavaTrustStoreTests {
  /// A Java whose keytool is a script.
  private func java(in directory: TemporaryDirectory, keytool script: String) throws -> JavaInstallation {
    for name in ["jdk", "jdk/bin", "jdk/lib", "jdk/lib/security"] { _ = try directory.makeDirectory(name) }
    try directory.write("", to: "jdk/bin/java", mode: 0o755)
    try directory.write("#!/bin/sh\n\(script)\n", to: "jdk/bin/keytool", mode: 0o755)
    try directory.write("roots\n", to: "jdk/lib/security/cacerts")
    return try #require(JavaInstallation(environment: ["JAVA_HOME": directory.path("jdk")]))
  }

  private func authority(in directory: TemporaryDirectory) throws -> (AuthorityDirectory, AuthorityCertificate) {
    let home = AuthorityDirectory(path: directory.path("ca"))
    return (home, try CertificateAuthority.loadOrCreate(in: home).certificate)
  }

  @Test("It is a copy with our authority imported, and made once")
  func making() throws {
    let directory = try TemporaryDirectory()
    let script = #"""
      while [ $# -gt 0 ]; do case "$1" in -file) cert=$2;; -keystore) store=$2;; esac; shift; done
      cat "$cert" >> "$store"; echo made >> "$(dirname "$0")/log"
      """#
    let java = try java(in: directory, keytool: script)
    let (home, certificate) = try authority(in: directory)
    let store = try #require(try JavaTrustStore(for: java, authority: certificate, in: home))
    #expect(try readText(store.path).hasPrefix("roots\n-----BEGIN CERTIFICATE-----"))
    let again = try #require(try JavaTrustStore(for: java, authority: certificate, in: home))
    #expect(again.path == store.path)
    #expect(try readText(directory.path("jdk/bin/log")) == "made\n")
  }

  @Test("A keytool that fails leaves nothing behind")
  func failure() throws {
    let directory = try TemporaryDirectory()
    let java = try java(in: directory, keytool: "exit 1")
    let (home, certificate) = try authority(in: directory)
    let before = Set(Directory.namesIfReadable(in: home.path))
    #expect(throws: CommandFailure.self) { try JavaTrustStore(for: java, authority: certificate, in: home) }
    #expect(Set(Directory.namesIfReadable(in: home.path)) == before)
  }

  @Test("A Java without a keytool has none")
  func missing() throws {
    let directory = try TemporaryDirectory()
    let java = try java(in: directory, keytool: "")
    try SystemCalls.remove(directory.path("jdk/bin/keytool"))
    let (home, certificate) = try authority(in: directory)
    #expect(try JavaTrustStore(for: java, authority: certificate, in: home) == nil)
  }
}

import Glibc
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Java installation")
struct JavaInstallationTests {
  @Test("JAVA_HOME comes before PATH, where links are followed")
  func finding() throws {
    let directory = try TemporaryDirectory()
    for name in ["jdk", "jdk/bin", "jdk/lib", "jdk/lib/security", "path"] { _ = try directory.makeDirectory(name) }
    try directory.write("", to: "jdk/bin/java", mode: 0o755)
    #expect(unsafe symlink(directory.path("jdk/bin/java"), directory.path("path/java")) == 0)
    let home = directory.path("jdk")
    let byHome = try #require(JavaInstallation(environment: ["JAVA_HOME": home, "PATH": "/nowhere"]))
    let byPath = try #require(
      JavaInstallation(environment: ["JAVA_HOME": "/nowhere", "PATH": "/nowhere:\(directory.path("path"))"]))
    for java in [byHome, byPath] {
      #expect(java.home == home)
      #expect(java.keytool == nil)
      #expect(java.authorities == nil)
    }
    try directory.write("", to: "jdk/bin/keytool", mode: 0o755)
    try directory.write("", to: "jdk/lib/security/cacerts")
    #expect(byPath.keytool == "\(home)/bin/keytool")
    #expect(byPath.authorities == "\(home)/lib/security/cacerts")
  }

  @Test("Without a Java there is none")
  func missing() {
    #expect(JavaInstallation(environment: ["PATH": "/nowhere"]) == nil)
    #expect(JavaInstallation(environment: [:]) == nil)
  }
}

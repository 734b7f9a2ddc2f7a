internal import TapelineOffline
internal import TapelineSystem
internal import TapelineTLS

/// A copy of a Java's trust store, with our authority in it.
///
/// Java reads neither the system's bundle nor a variable that names a bundle. It takes a Java program half a second to make a
/// store, so each store is kept beside the authority, with a name derived from everything it was made from.
package struct JavaTrustStore {
  let path: String

  /// The password of every Java's own store. It protects nothing, as the store holds no secrets.
  static let password = "changeit"

  init(path: String) {
    self.path = path
  }

  /// - Returns: `nil` if this Java has no program to make a store with, or no store to make it from.
  init?(
    for java: JavaInstallation, authority: AuthorityCertificate, in directory: AuthorityDirectory
  ) throws(CommandFailure) {
    guard let keytool = java.keytool, let source = java.authorities else { return nil }
    guard let status = SystemCalls.statusIfPresent(of: source) else { return nil }
    let origin = "\(status.inode)-\(status.size)-\(status.modified)"
    path = "\(directory.path)/java-\(authority.fingerprint.prefix(16))-\(origin).keystore"
    guard !SystemCalls.exists(path) else { return }
    try make(with: keytool, from: source, authority: directory.certificateFile)
  }

  /// Copies and imports under another name, so that a concurrent run finds a whole store or no store.
  private func make(with keytool: String, from source: String, authority: String) throws(CommandFailure) {
    let draft = "\(path).\(CurrentProcess.id)"
    defer { SystemCalls.removeIfPossible(draft) }
    let authorities: [UInt8]
    do throws(SystemCallError) {
      authorities = try WholeFile.read(source, limit: Self.sizeLimit)
    } catch {
      throw failure(error.text)
    }
    do throws(PrivateFileError) {
      try WholeFile.write(authorities, to: draft, mode: 0o644)
    } catch {
      throw failure(error.description)
    }
    let status = try SilentProcess.run(Self.command(keytool, authority: authority, store: draft))
    guard status == 0 else { throw failure("keytool ended with status \(status)") }
    do throws(SystemCallError) {
      try SystemCalls.rename(draft, to: path)
    } catch {
      throw failure(error.text)
    }
  }

  private static let sizeLimit = 64 << 20

  private static func command(_ keytool: String, authority: String, store: String) -> [String] {
    // Full compilation would take longer than the work.
    [keytool, "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-importcert", "-noprompt", "-alias", "tapeline"]
      + ["-file", authority, "-keystore", store, "-storepass", password]
  }

  private func failure(_ why: String) -> CommandFailure {
    CommandFailure(
      status: .cannotCreate, what: "no trust store for Java", why: why, remedy: "Java programs will refuse the recorded HTTPS")
  }
}

/// The Java that the programs we start will find.
struct JavaInstallation {
  /// The directory with `bin` and `lib`.
  let home: String

  /// The Java of `JAVA_HOME`, else that of the `java` in `PATH`.
  init?(environment: [String: String]) {
    if let home = environment["JAVA_HOME"], Self.isProgram("\(home)/bin/java") {
      self.home = home
      return
    }
    guard let java = InstalledProgram.path(of: "java", environment: environment), let real = Self.realPath(of: java) else {
      return nil
    }
    // …/bin/java
    home = real.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
  }

  /// The program that writes trust stores, which a JRE has too.
  var keytool: String? {
    let path = "\(home)/bin/keytool"
    return Self.isProgram(path) ? path : nil
  }

  /// The authorities that this Java trusts.
  var authorities: String? {
    let places = ["\(home)/lib/security/cacerts", "\(home)/jre/lib/security/cacerts"]
    return places.first(where: SystemCalls.exists)
  }

  private static func isProgram(_ path: String) -> Bool {
    SystemCalls.mayAccess(path, for: .executing)
  }

  private static func realPath(of path: String) -> String? {
    do throws(SystemCallError) {
      return try SystemCalls.realPath(of: path)
    } catch {
      return nil
    }
  }
}

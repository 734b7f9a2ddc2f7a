internal import TapelineSystem

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
    let directories = environment["PATH", default: ""].split(separator: ":")
    guard let java = directories.map({ "\($0)/java" }).first(where: Self.isProgram), let real = Self.realPath(of: java) else {
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

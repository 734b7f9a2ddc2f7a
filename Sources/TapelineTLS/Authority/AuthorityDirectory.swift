internal import TapelineSystem

/// Where an authority lives: its certificate for everybody, its key for nobody else.
package struct AuthorityDirectory: Sendable, Hashable {
  package let path: String

  package init(path: String) {
    self.path = path.isEmpty ? "." : path
  }

  /// The one that is meant when none is named (XDG Base Directory Specification): relative paths are ignored there.
  package init(environment: [String: String]) {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      path = "\(data)/tapeline"
    } else {
      path = "\(environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? CurrentUser.homeDirectory)/.local/share/tapeline"
    }
  }

  package var certificateFile: String { "\(path)/ca.pem" }
  package var keyFile: String { "\(path)/ca.key" }
  /// Locked by whoever is making an authority here.
  var lockFile: String { "\(path)/ca.lock" }
}

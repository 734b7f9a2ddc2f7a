internal import TapelineSystem

/// The directory of an authority: everybody may read its certificate, only its owner the key.
package struct AuthorityDirectory: Sendable, Hashable {
  package let path: String

  package init(path: String) {
    self.path = path.isEmpty ? "." : path
  }

  /// The default directory (XDG Base Directory Specification): the specification says to ignore relative paths.
  package init(environment: [String: String]) {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      path = "\(data)/tapeline"
    } else {
      path = "\(environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? CurrentUser.homeDirectory)/.local/share/tapeline"
    }
  }

  package var certificateFile: String { "\(path)/ca.pem" }
  package var keyFile: String { "\(path)/ca.key" }
  /// Locked while a process makes an authority here.
  var lockFile: String { "\(path)/ca.lock" }
}

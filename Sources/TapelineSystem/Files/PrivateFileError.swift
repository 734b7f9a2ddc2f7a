/// Why a file is not opened for writing, or a directory not used: somebody else could read what is written, or has a hand in where it goes.
package enum PrivateFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An `errno`.
  case system(Int32)
  /// Something is there, and it holds something.
  case exists
  case link
  case notRegular
  /// It belongs to another user.
  case foreign
  /// The file has other names, which may lie where others can read.
  case otherNames
  /// Others can write to the directory, or enter where they must not.
  case exposed(mode: UInt32)

  package var description: String {
    switch self {
    case .system(let code): SystemCallError.text(of: code)
    case .exists: "it exists already"
    case .link: "it is a symbolic link, and may lead to a file of somebody else"
    case .notRegular: "it is not a regular file"
    case .foreign: "it belongs to another user"
    case .otherNames: "the file has another name too (a hard link)"
    case .exposed(let mode): "others may use it (mode \(String(mode, radix: 8)))"
    }
  }
}

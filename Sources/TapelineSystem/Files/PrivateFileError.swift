/// Why a file is not opened for writing, or a directory not used: somebody else could read the content or change where it goes.
package enum PrivateFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An `errno`.
  case system(Int32)
  /// Something is there already, and it is not an empty file that may be used.
  case exists
  case link
  case notRegular
  /// It belongs to another user.
  case foreign
  /// The file has other names, perhaps where others can read them.
  case otherNames
  /// Others can write to the directory, or enter it although they must not.
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

internal import CTapeline
internal import Glibc

/// The file under a name, or behind a descriptor (stat(2)).
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case regular
    case directory
    case link
    case characterDevice
    case socket
    /// A pipe, a block device.
    case other
  }

  package let kind: Kind
  /// Bytes.
  package let size: Int
  /// The user's number.
  package let owner: UInt32
  /// The lower twelve bits of the mode.
  package let permissions: UInt32
  /// How many names it has.
  package let linkCount: UInt64
  /// Seconds since 1970 at the last change of the content.
  package let modified: Int64
  /// The part of that instant below a second.
  package let modifiedNanoseconds: UInt32
  package let device: UInt64
  /// Identifies the file on its device.
  package let inode: UInt64

  init(_ status: tapeline_file_status) {
    kind =
      switch status.mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFSOCK: .socket
      case S_IFCHR: .characterDevice
      default: .other
      }
    size = Int(status.size)
    owner = status.owner
    permissions = status.mode & 0o7777
    linkCount = status.links
    modified = status.modified_seconds
    modifiedNanoseconds = status.modified_nanoseconds
    device = status.device
    inode = status.inode
  }

  /// Whether users other than the owner may read, write or enter it.
  package var isOpenToOthers: Bool { permissions & 0o077 != 0 }

  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}

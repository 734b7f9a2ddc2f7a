internal import Glibc

/// What is in a directory.
enum DirectoryNames {
  /// The names, without `.` and `..`; none where the directory cannot be read.
  static func of(_ path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

internal import Glibc

/// Removes `path` and all below it; what cannot be removed stays, as nothing could be done about it.
func removeTree(_ path: String) {
  if isDirectory(path), let directory = unsafe opendir(path) {
    var children: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { children.append("\(path)/\(name)") }
    }
    unsafe closedir(directory)
    for child in children {
      removeTree(child)
    }
  }
  _ = unsafe remove(path)
}

/// A link to a directory is not one.
private func isDirectory(_ path: String) -> Bool {
  var status = stat()
  return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

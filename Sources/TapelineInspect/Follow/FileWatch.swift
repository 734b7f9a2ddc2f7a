internal import Glibc

/// Waits until a file is written to, or another appears beside it (inotify(7)); between the two it costs nothing.
struct FileWatch: ~Copyable {
  /// What has happened since the last look.
  struct News {
    /// Somebody who wrote to the file has closed it.
    var isClosed = false
    /// Names of files that are new in the directory.
    var names: [String] = []
  }

  private let descriptor: Int32
  private let directoryWatch: Int32
  private var fileWatch: Int32 = -1

  /// - Parameter directory: where other files may appear.
  init(directory: String) throws(CaptureError) {
    let opened = inotify_init1(Int32(IN_CLOEXEC))
    guard opened >= 0 else { throw .system(code: errno) }
    let watch = unsafe inotify_add_watch(opened, directory, UInt32(IN_CREATE | IN_MOVED_TO))
    guard watch >= 0 else {
      let code = errno
      _ = close(opened)
      throw .system(code: code)
    }
    descriptor = opened
    directoryWatch = watch
  }

  deinit {
    _ = close(descriptor)
  }

  /// Looks at this file from now on, and at no other.
  mutating func watch(_ path: String) throws(CaptureError) {
    if fileWatch >= 0 { _ = inotify_rm_watch(descriptor, fileWatch) }
    fileWatch = unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY | IN_CLOSE_WRITE))
    guard fileWatch >= 0 else { throw .system(code: errno) }
  }

  /// Waits for news, or so long.
  func wait(milliseconds: Int32 = -1) throws(CaptureError) -> News {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = unsafe poll(&request, 1, milliseconds)
      if count > 0 { return try read() }
      if count == 0 { return News() }
      let code = errno
      if code != EINTR { throw .system(code: code) }
    }
  }

  /// Room for many events; each may have the longest of names.
  private static let bufferSize = 16 << 10

  private func read() throws(CaptureError) -> News {
    var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else {
      let code = errno
      if code == EINTR { return News() }
      throw .system(code: code)
    }
    var news = News()
    var start = 0
    // `struct inotify_event`: watch, mask, cookie, length, then so many bytes of a name with NULs behind it.
    while start + 16 <= count {
      let words = (0..<4).map { word in
        (0..<4).reduce(UInt32(0)) { $0 | UInt32(buffer[start + 4 * word + $1]) << (8 * UInt32($1)) }
      }
      let end = min(start + 16 + Int(words[3]), count)
      if Int32(bitPattern: words[0]) == directoryWatch {
        news.names.append(String(decoding: buffer[start + 16..<end].prefix { $0 != 0 }, as: UTF8.self))
      } else if words[1] & UInt32(IN_CLOSE_WRITE) != 0 {
        news.isClosed = true
      }
      start = end
    }
    return news
  }
}

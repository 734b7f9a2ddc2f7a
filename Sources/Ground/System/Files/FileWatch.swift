internal import CTapeline
internal import Glibc

/// Waits until a file is written to, or a new one appears in its directory (inotify(7)); waiting costs nothing.
package struct FileWatch: ~Copyable {
  /// The events since the last look.
  package struct News {
    /// A writer of the file has closed it.
    package var isClosed = false
    /// Names of new files in the directory.
    package var names: [String] = []
  }

  private let descriptor: Int32
  private let directoryWatch: Int32
  private var fileWatch: Int32?

  /// - Parameter directory: where other files may appear.
  package init(directory: String) throws(SystemCallError) {
    let opened = try SystemCalls.retrying(.inotify) { tapeline_watch() }
    do throws(SystemCallError) {
      directoryWatch = try Self.add(directory, IN_CREATE | IN_MOVED_TO, to: opened)
    } catch {
      SystemCalls.discard(opened)
      throw error
    }
    descriptor = opened
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// Watches this file from now on, and no other.
  package mutating func watch(_ path: String) throws(SystemCallError) {
    if let former = fileWatch.take() { _ = tapeline_watch_remove(descriptor, former) }
    fileWatch = try Self.add(path, IN_MODIFY | IN_CLOSE_WRITE, to: descriptor)
  }

  private static func add(_ path: String, _ events: Int32, to descriptor: Int32) throws(SystemCallError) -> Int32 {
    try SystemCalls.retrying(.inotify) { unsafe tapeline_watch_add(descriptor, path, UInt32(events)) }
  }

  /// Waits for events.
  ///
  /// - Parameter milliseconds: the longest wait; without limit if `nil`.
  package func wait(milliseconds: Int32? = nil) throws(SystemCallError) -> News {
    guard try SystemCalls.wait(for: .readable, on: descriptor, milliseconds: milliseconds) else { return News() }
    return news(in: try SystemCalls.read(descriptor, upTo: Self.bufferSize) ?? [])
  }

  /// Room for many events; each may have a name of the maximum length.
  private static let bufferSize = 16 << 10

  /// Reads a series of `struct inotify_event`: watch, mask, cookie, length, then a name of that length, padded with NULs.
  private func news(in buffer: [UInt8]) -> News {
    var news = News()
    var start = 0
    while start + 16 <= buffer.count {
      let words = (0..<4).map { word in
        (0..<4).reduce(UInt32(0)) { $0 | UInt32(buffer[start + 4 * word + $1]) << (8 * UInt32($1)) }
      }
      let end = min(start + 16 + Int(words[3]), buffer.count)
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

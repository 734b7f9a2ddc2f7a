package import TapelineHAR
internal import TapelineSystem

/// Reads a HAR while it is being recorded, and goes on to the next file when the recording does.
///
/// With every new entry, the recorder rewrites the end of such a file after the last entry, so each reading begins there. A
/// half-written end is read again after the next change.
package struct FollowedCapture: ~Copyable {
  package enum Event {
    case entry(number: Int, HAREntry)
    /// The entry with this number is not JSON, or no object.
    case unreadable(number: Int, HARReadError)
    /// All entries that exist so far were given; the next call waits for more.
    case caughtUp
    /// The file is complete, and the recording goes on in this file, where numbers start again.
    case nextFile(String)
  }

  private enum Place {
    case before
    case inside
    case caughtUp
  }

  private let parts: HAREntryParts
  private var path: String
  private var source: InputSource
  private var watch: FileWatch
  private var reader = HARElementReader()
  private var place = Place.before
  /// Bytes of the file that the reader has.
  private var offset = 0
  /// Whether this reading has no more bytes for the reader.
  private var isExhausted = false
  private var piece = [UInt8](repeating: 0, count: 256 << 10)
  /// Whether a recorder held the file when the reading began; if not, the file is complete.
  private var isRecorded = false
  /// The offset after the last entry that was given; `nil` before the first.
  private var end: Int?
  private var count = 0
  /// Later files of the same recording that have appeared since.
  private var followers: [String] = []

  /// Opens the file, which must be a file that can grow.
  package init(path: String, parts: HAREntryParts) throws(CaptureError) {
    // Resolves a link: the target is the file that grows.
    let path = try CaptureError.rethrowing { () throws(SystemCallError) in try SystemCalls.realPath(of: path) }
    let watch = try CaptureError.rethrowing { () throws(SystemCallError) in
      var watch = try FileWatch(directory: Self.directory(of: path))
      try watch.watch(path)
      return watch
    }
    let source = try InputSource.open(path, for: .following)
    guard source.isSeekable else { throw .notGrowing("not a regular file") }
    // A file that is being recorded is ours, and may still be empty.
    if !source.isLocked { try Self.checkKind(of: source) }
    self.path = path
    self.parts = parts
    self.watch = watch
    self.source = source
  }

  private static func checkKind(of source: InputSource) throws(CaptureError) {
    var file = InputFile(source)
    _ = try file.read()
    if let compression = file.compression { throw .notGrowing("a \(compression) file") }
  }

  /// The next event; waits for it after `caughtUp` was given. `nil` when the recording has ended.
  package mutating func next() throws(CaptureError) -> Event? {
    while true {
      switch place {
      case .before: begin()
      case .inside:
        if let entry = try readEntry() { return entry }
        if isRecorded {
          place = .caughtUp
          return .caughtUp
        }
        return try nextFile()
      case .caughtUp:
        try wait()
        place = .before
      }
    }
  }

  // MARK: Parts

  private mutating func begin() {
    isRecorded = source.isLocked
    reader = end.map { HARElementReader(behindEntryAt: $0) } ?? HARElementReader()
    offset = end ?? 0
    isExhausted = false
    place = .inside
  }

  /// `nil` when there is no further complete entry.
  private mutating func readEntry() throws(CaptureError) -> Event? {
    while true {
      if let entry = try parseEntry() { return entry }
      guard !isExhausted else { return nil }
      let added = try source.read(at: offset, into: &piece)
      if added > 0 {
        offset += added
        // A local copy: bytes borrowed from `self` could not be passed to a mutating call on `self`.
        let bytes = piece
        reader.feed(bytes.span.extracting(first: added))
      } else {
        isExhausted = true
        // A complete file must be valid to its end.
        if !isRecorded { reader.finish() }
      }
    }
  }

  /// `nil` when the reader needs more.
  private mutating func parseEntry() throws(CaptureError) -> Event? {
    do throws(HARReadError) {
      while let element = try reader.next() {
        guard case .entry = element.kind else { continue }
        let event: Event
        do throws(HARReadError) {
          let entry = try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try HAREntry(json: bytes, parts: parts)
          }
          event = .entry(number: count + 1, entry)
        } catch {
          // In a file that is written, the rest of the entry is still to come.
          guard !isRecorded else { throw error }
          event = .unreadable(number: count + 1, error)
        }
        end = element.range.upperBound
        count += 1
        return event
      }
    } catch {
      guard isRecorded else { throw InputFile(source).captureError(for: error) }
      // A reading may meet a mix of old and new bytes; another change follows when all is written.
      isExhausted = true
    }
    return nil
  }

  private mutating func wait() throws(CaptureError) {
    let news = try news()
    note(news)
    // The recorder releases the lock shortly after the file is reported closed.
    var patience = Self.patience
    while news.isClosed, patience > 0, source.isLocked {
      note(try self.news(milliseconds: 10))
      patience -= 1
    }
  }

  private static let patience = 100

  private func news(milliseconds: Int32? = nil) throws(CaptureError) -> FileWatch.News {
    do throws(SystemCallError) {
      return try watch.wait(milliseconds: milliseconds)
    } catch {
      throw CaptureError(error)
    }
  }

  private mutating func note(_ news: FileWatch.News) {
    let directory = Self.directory(of: path)
    for name in news.names {
      let other = "\(directory)/\(name)"
      if isFollower(other) { followers.append(other) }
    }
  }

  private func isFollower(_ other: String) -> Bool {
    let names = NumberedPath(path)
    if names.number(of: other) != nil { return true }
    guard let origin = names.origin, let number = origin.capture.number(of: other) else { return false }
    return number > origin.number
  }

  private mutating func nextFile() throws(CaptureError) -> Event? {
    guard let next = followers.first ?? recordedFollower() else { return nil }
    followers = Array(followers.dropFirst())
    path = next
    do throws(SystemCallError) {
      try watch.watch(next)
    } catch {
      throw CaptureError(error)
    }
    source = try InputSource.open(next, for: .following)
    end = nil
    count = 0
    place = .before
    return .nextFile(next)
  }

  /// A file of an earlier rotation that is being recorded into now.
  private func recordedFollower() -> String? {
    let names = NumberedPath(path)
    let origin = names.origin
    return Self.recorded(names, after: 0) ?? origin.flatMap { Self.recorded($0.capture, after: $0.number) }
  }

  private static func recorded(_ names: NumberedPath, after number: Int) -> String? {
    var next = number + 1
    while true {
      let path = names.numbered(next)
      do throws(CaptureError) {
        if try InputSource.open(path, for: .following).isLocked { return path }
      } catch {
        return nil
      }
      next += 1
    }
  }

  private static func directory(of path: String) -> String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

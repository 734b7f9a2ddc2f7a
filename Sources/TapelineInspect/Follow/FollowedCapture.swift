package import TapelineHAR
internal import TapelineSystem

/// A HAR that is being recorded into, read on as it grows, into the next file when the recording goes on in one.
///
/// Behind its last entry such a file is written anew with every entry that comes, so it is there that each reading begins. What is found
/// half written is read again with the next news.
package struct FollowedCapture: ~Copyable {
  package enum Event {
    case entry(number: Int, HAREntry)
    /// Everything that is there was given; the next call waits for more.
    case caughtUp
    /// The file is complete, and the recording goes on in this one, whose exchanges are counted anew.
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
  /// How much of the file the reader has.
  private var offset = 0
  /// Whether it gets no more in this reading.
  private var isExhausted = false
  private var piece = [UInt8](repeating: 0, count: 256 << 10)
  /// Whether there was a recorder when the reading began: when there was none, all is there.
  private var isRecorded = false
  /// Behind the last entry that was given; `nil` before the first.
  private var end: Int?
  private var count = 0
  /// Files that have appeared since, as the recording goes on in them.
  private var followers: [String] = []

  /// Opens the file, which must be one that can grow.
  package init(path: String, parts: HAREntryParts) throws(CaptureError) {
    // A link leads to where the file grows.
    let path = try CaptureError.rethrowing { () throws(SystemCallError) in try SystemCalls.realPath(of: path) }
    let watch = try CaptureError.rethrowing { () throws(SystemCallError) in
      var watch = try FileWatch(directory: Self.directory(of: path))
      try watch.watch(path)
      return watch
    }
    let source = try InputSource.open(path)
    guard source.isSeekable else { throw .notGrowing("not a regular file") }
    // What is recorded into is ours, and may have nothing in it yet.
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

  /// What comes next; waits for it once `caughtUp` was given. `nil` when the recording has ended.
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

  /// `nil` when there is no further entry that is whole.
  private mutating func readEntry() throws(CaptureError) -> Event? {
    while true {
      if let entry = try parseEntry() { return entry }
      guard !isExhausted else { return nil }
      let added = try source.read(at: offset, into: &piece)
      if added > 0 {
        offset += added
        // A name of its own: lent by `self`, it could not be fed to what `self` has.
        let bytes = piece
        reader.feed(bytes.span.extracting(first: added))
      } else {
        isExhausted = true
        // What is complete must be whole to its end.
        if !isRecorded { reader.finish() }
      }
    }
  }

  /// `nil` when the reader needs more.
  private mutating func parseEntry() throws(CaptureError) -> Event? {
    do throws(HARReadError) {
      while let element = try reader.next() {
        guard case .entry = element.kind else { continue }
        let entry = try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try HAREntry(json: bytes, parts: parts)
        }
        end = element.range.upperBound
        count += 1
        return .entry(number: count, entry)
      }
    } catch {
      guard isRecorded else { throw InputFile(source).captureError(for: error) }
      // A reading may meet what was and what is to be; there is news when all is written.
      isExhausted = true
    }
    return nil
  }

  private mutating func wait() throws(CaptureError) {
    let news = try news()
    note(news)
    // The lock goes shortly after the news of its file's end.
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
    source = try InputSource.open(next)
    end = nil
    count = 0
    place = .before
    return .nextFile(next)
  }

  /// A file of an earlier rotation that is recorded into now.
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
        if try InputSource.open(path).isLocked { return path }
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

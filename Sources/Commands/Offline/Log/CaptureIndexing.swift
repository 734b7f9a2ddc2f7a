internal import TapelineInspect
internal import TapelineHAR
internal import TapelineSystem

/// How a command treats indexes beside captures.
package enum CaptureIndexing: Sendable {
  case never
  /// Uses an index that exists.
  case ifPresent
  /// Also makes one where there is none.
  case always

  /// A capture that changed within this many seconds may be written still.
  private static let quietSeconds: Int64 = 2

  /// The index of a capture; `nil` if there is none, and none could be made: then the capture itself is read.
  ///
  /// None is made of a capture that is written or damaged, nor where we cannot write.
  func index(of source: InputSource) -> CaptureIndex? {
    guard self != .never else { return nil }
    if let index = CaptureIndex.open(beside: source) { return index }
    guard self == .always, let stamp = source.stamp, !source.isLocked,
      stamp.seconds + Self.quietSeconds <= SystemClock.unixNanoseconds / 1_000_000_000
    else { return nil }
    return Self.make(of: source, stamp) ? CaptureIndex.open(beside: source) : nil
  }

  private static func make(of source: InputSource, _ stamp: CaptureStamp) -> Bool {
    do throws(PrivateFileError) {
      var writer = try IndexWriter(beside: source.name, for: stamp)
      var capture = CaptureFile(source, parts: IndexWriter.parts)
      do throws(CommandFailure) {
        while let (_, entry) = try capture.next() {
          // The numbers of its rows would not be those of the capture.
          guard capture.unreadable == 0 else { return false }
          let goesOn = orFalse { () throws(SystemCallError) in try writer.add(entry, at: capture.entryRange) }
          guard goesOn else { return false }
        }
      } catch {
        // The next reader of the capture reports it.
        return false
      }
      guard source.stamp == stamp, capture.unreadable == 0 else { return false }
      do throws(SystemCallError) {
        try writer.finish(for: stamp)
        // Who has replaced the capture meanwhile has not seen this index.
        guard source.isInPlace else {
          IndexFile.remove(beside: source.name)
          return false
        }
        return true
      } catch {
        return false
      }
    } catch {
      return false
    }
  }

  private static func orFalse(_ body: () throws(SystemCallError) -> Bool) -> Bool {
    do throws(SystemCallError) {
      return try body()
    } catch {
      return false
    }
  }

  /// Removes indexes whose captures are gone from the directories of captures.
  func removeOrphans(beside captures: [String]) {
    guard self != .never else { return }
    var last: Substring?
    for capture in captures {
      let directory = capture[..<(capture.lastIndex(of: "/") ?? capture.startIndex)]
      if directory != last { IndexFile.removeOrphans(beside: capture) }
      last = directory
    }
  }

  static func failure(_ capture: String, _ damage: CaptureIndex.Damage) -> CommandFailure {
    CommandFailure(
      status: .badInput, what: IndexFile.path(beside: capture), why: "the index is damaged", remedy: "remove it, and ask again"
    )
  }
}

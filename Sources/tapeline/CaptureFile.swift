internal import TapelineHAR
internal import TapelineInspect

/// A HAR named on the command line: its exchanges with their numbers, and its errors as the program says them.
struct CaptureFile: ~Copyable {
  private let path: String
  private let filter: Query?
  private let bodies: BodyFiles
  private let bringsBodiesIn: Bool
  private var capture: Capture
  private var titles = PageTitles()
  private var count = 0
  /// Bodies in files that were asked for and are not there.
  private(set) var missingBodies = 0

  /// - Parameters:
  ///   - parts: what of the exchanges the caller looks at.
  ///   - filter: which of them; each keeps the number of its place in the file.
  ///   - bodies: those that the log has in files; `nil` where it says. A filter that looks at bodies looks into them.
  ///   - bringsBodiesIn: whether the caller looks at those, too.
  init(
    path: String, parts: HAREntryParts = .all, filter: Query? = nil, bodies: BodyFiles? = nil, bringsBodiesIn: Bool = false
  ) throws(CommandFailure) {
    self.path = path
    self.filter = filter
    self.bodies = bodies ?? BodyFiles(besideHAR: path)
    self.bringsBodiesIn = bringsBodiesIn
    do throws(CaptureError) {
      let parts = parts.union(filter?.parts ?? [])
      if parts.contains(.pageTitle), path != "-" { titles = try PageTitles.read(path: path, .whole) }
      capture = try Capture(path: path, parts: parts)
    } catch {
      throw Self.failure(path, error)
    }
  }

  /// The next exchange; pages on the way to it are given to `onPage`.
  mutating func next(
    onPage: (HARPage) -> Void = { _ in }
  ) throws(CommandFailure) -> (number: Int, entry: HAREntry)? {
    do throws(CaptureError) {
      while let event = try capture.nextEvent() {
        switch event {
        case .entry(var entry):
          count += 1
          titles.name(&entry)
          guard matches(entry) else { continue }
          if bringsBodiesIn { missingBodies += bodies.bringIn(&entry) }
          return (count, entry)
        case .page(let page):
          titles.add(page)
          onPage(page)
        case .version, .creator, .browser, .comment, .member, .warning: continue
        }
      }
      return nil
    } catch {
      throw Self.failure(path, error)
    }
  }

  private func matches(_ entry: HAREntry) -> Bool {
    guard let filter else { return true }
    guard filter.parts.contains(.bodies) else { return filter.matches(entry, number: count) }
    var whole = entry
    bodies.bringIn(&whole)
    return filter.matches(whole, number: count)
  }

  /// What a log says besides its entries.
  static func header(path: String) throws(CommandFailure) -> HARLog {
    do throws(CaptureError) {
      return try CaptureHeader.read(path: path)
    } catch {
      throw failure(path, error)
    }
  }

  /// A few exchanges by their numbers, and how many were passed on the way to the last of them.
  static func entries(path: String, numbers: Set<Int>) throws(CommandFailure) -> (entries: [Int: HAREntry], count: Int) {
    do throws(CaptureError) {
      return try NumberedEntries.read(path: path, numbers: numbers)
    } catch {
      throw failure(path, error)
    }
  }

  static func failure(_ path: String, _ error: CaptureError) -> CommandFailure {
    switch error {
    case .system(let code):
      CommandFailure(status: .badInput, what: path, why: systemErrorText(code), remedy: "name a HAR that can be read")
    case .malformed(let error):
      CommandFailure(
        status: .badInput, what: path, why: error.description, remedy: "name a HAR; of a damaged one, what comes before was read")
    }
  }
}

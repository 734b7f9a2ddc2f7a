internal import TapelineHAR
internal import TapelineInspect

/// A HAR named on the command line: its exchanges with their numbers, and its errors as the program says them.
struct CaptureFile: ~Copyable {
  private let path: String
  private var capture: Capture
  private var count = 0

  init(path: String, parts: HAREntryParts = .all) throws(CommandFailure) {
    self.path = path
    do throws(CaptureError) {
      capture = try Capture(path: path, parts: parts)
    } catch {
      throw Self.failure(path, error)
    }
  }

  mutating func next() throws(CommandFailure) -> (number: Int, entry: HAREntry)? {
    do throws(CaptureError) {
      guard let entry = try capture.next() else { return nil }
      count += 1
      return (count, entry)
    } catch {
      throw Self.failure(path, error)
    }
  }

  /// What a log says besides its entries.
  static func header(path: String) throws(CommandFailure) -> HARLog {
    do throws(CaptureError) {
      return try CaptureHeader.read(path: path)
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

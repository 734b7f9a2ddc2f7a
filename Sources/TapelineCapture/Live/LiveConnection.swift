internal import TapelineProxy
internal import TapelineSystem
internal import TapelineTime

/// One visit and what it is owed: an answer, or the events of the capture from some exchange on. Used on the live page's thread.
///
/// A reader that is slow stays behind and costs no memory: rows are read from the log when it has taken those before, and of the
/// exchanges in flight it gets the latest state.
struct LiveConnection {
  private let visit: LocalVisit
  /// Bytes that it has not taken yet.
  private var output: ArraySlice<UInt8>
  /// Absent for a single answer.
  private(set) var reader: Reader?
  /// Until then, a single answer is held for a client that does not take it.
  private let deadline = MonotonicInstant.now.advanced(by: Self.patience)

  private static let patience = Duration.seconds(10)

  struct Reader {
    /// The exchange that comes next.
    var next: Int
    /// What it was told of the log and of the exchanges in flight.
    var headerVersion = 0
    var flightVersion = 0
  }

  enum Progress {
    /// It has taken everything, and more may come.
    case drained
    /// It takes no more for now.
    case full
    /// It is gone, or has all of its answer.
    case ended
  }

  init(_ visit: LocalVisit, _ answer: [UInt8], reader: Reader? = nil) {
    self.visit = visit
    self.reader = reader
    output = (visit.waiting + answer)[...]
  }

  /// What to wait for: room, or its end.
  var request: PollRequest {
    PollRequest(output.isEmpty ? .readable : .writable, on: visit.descriptor)
  }

  /// Writes what it takes now.
  mutating func write() -> Progress {
    do throws(SystemCallError) {
      while !output.isEmpty {
        guard case .done(let count) = try SystemCalls.send(output, to: visit.descriptor) else {
          return reader == nil && MonotonicInstant.now > deadline ? .ended : .full
        }
        output = output.dropFirst(count)
      }
      return reader == nil ? .ended : .drained
    } catch {
      return .ended
    }
  }

  /// Whether a reader that owes nothing has left. What it sends is dropped.
  func hasLeft() -> Bool {
    do throws(SystemCallError) {
      while let bytes = try SystemCalls.read(visit.descriptor, upTo: 4_096) {
        if bytes.isEmpty { return true }
      }
      return false
    } catch {
      return true
    }
  }

  /// Adds the next piece that a reader has not been told.
  ///
  /// - Parameter epoch: tells the recording from others.
  /// - Returns: whether there is anything new.
  mutating func addNews(of capture: inout LiveCapture, epoch: String) -> Bool {
    guard var reader, output.isEmpty else { return false }
    var news: [UInt8] = []
    if reader.headerVersion != capture.headerVersion {
      reader.headerVersion = capture.headerVersion
      LiveEvent.append("header", data: capture.header, to: &news)
    }
    if let (rows, next) = capture.rows(from: reader.next) {
      reader.next = next
      LiveEvent.append("rows", id: "\(epoch)-\(next - 1)", data: rows, to: &news)
    } else if reader.flightVersion != capture.flightVersion {
      reader.flightVersion = capture.flightVersion
      LiveEvent.append("flight", data: capture.flight, to: &news)
    }
    self.reader = reader
    output = news[...]
    return !news.isEmpty
  }

  /// Whether a reader was told everything.
  func hasAll(of capture: LiveCapture) -> Bool {
    guard let reader, output.isEmpty else { return false }
    return reader.next >= capture.nextNumber && reader.flightVersion == capture.flightVersion
  }

  /// The last event.
  mutating func end() {
    guard reader != nil else { return }
    reader = nil
    var last: [UInt8] = []
    LiveEvent.append("end", data: Array("{}".utf8), to: &last)
    output += last
  }
}

/// Server-sent events (HTML, "9.2 Server-sent events").
enum LiveEvent {
  static let mediaType = "text/event-stream; charset=utf-8"

  /// - Parameter data: in one line.
  static func append(_ name: String, id: String? = nil, data: [UInt8], to output: inout [UInt8]) {
    if let id { output += "id: \(id)\n".utf8 }
    output += "event: \(name)\ndata: ".utf8
    output += data
    output += "\n\n".utf8
  }
}

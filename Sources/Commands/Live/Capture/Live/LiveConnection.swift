internal import TapelineProxy
internal import TapelineSystem
internal import TapelineTime

/// One visit and what it is owed: an answer, or the news of the capture from some exchange on. Used on the live page's thread.
///
/// A reader that is slow stays behind and costs no memory: rows are read from the log when it has taken those before, and of the
/// exchanges in flight it gets the latest state.
struct LiveConnection {
  private let visit: LocalVisit
  /// Bytes that it has not taken yet.
  private var output: ArraySlice<UInt8>
  private var role: Role
  /// Until then, a single answer is held for a client that does not take it.
  private let deadline = MonotonicInstant.now.advanced(by: Self.patience)

  private static let patience = Duration.seconds(10)
  /// The send buffer of a reader: it holds more than a piece of news.
  private static let sendBufferSize: Int32 = 64 << 10

  enum Role {
    /// It gets a single answer.
    case answer
    /// The live page, which gets events.
    case reader(Reader)
    /// Chrome's panel, which sends commands as well.
    case panel(DevToolsSession)
  }

  struct Reader {
    /// The exchange that comes next.
    var next: Int
    /// How much it was told of the log and of the exchanges in flight.
    var headerVersion = 0
    var flightVersion = 0
    var queueVersion = 0
    /// Exchanges that it was told are still to come.
    var missing = 0

    /// From so many rows on, a reader is told how many are still to come.
    fileprivate static let noticeable = 1_000
  }

  enum Progress {
    /// It has taken everything, and more may come.
    case drained
    /// It takes no more for now.
    case full
    /// It is gone, or has all of its answer.
    case ended
  }

  init(_ visit: LocalVisit, _ answer: [UInt8], _ role: Role = .answer) {
    self.visit = visit
    self.role = role
    output = (visit.waiting + answer)[...]
    if isReader { limitSendBuffer() }
  }

  /// A reader that stops is behind in the log, and not in the kernel's memory, which would grow to megabytes.
  private func limitSendBuffer() {
    do throws(SystemCallError) {
      try SystemCalls.limitSendBuffer(of: visit.descriptor, to: Self.sendBufferSize)
    } catch {
      // The connection has ended, and the next write says so.
    }
  }

  /// Whether it gets news as long as it stays.
  var isReader: Bool {
    switch role {
    case .answer: false
    case .reader, .panel: true
    }
  }

  /// Whether it is a panel that shows exchanges.
  var isPanel: Bool {
    switch role {
    case .answer, .reader: false
    case .panel(let panel): panel.isEnabled
    }
  }

  /// The events to wait for: room, bytes of its own, or its end.
  var request: PollRequest {
    PollRequest(output.isEmpty ? .readable : .writable, on: visit.descriptor)
  }

  /// Writes what it takes now.
  mutating func write() -> Progress {
    do throws(SystemCallError) {
      while !output.isEmpty {
        guard case .done(let count) = try SystemCalls.send(output, to: visit.descriptor) else {
          return !isReader && MonotonicInstant.now > deadline ? .ended : .full
        }
        output = output.dropFirst(count)
      }
      return isReader ? .drained : .ended
    } catch {
      return .ended
    }
  }

  /// Reads what a reader that has taken everything sends, until it is owed an answer. Only a panel has anything to say.
  ///
  /// - Parameter details: the entries that a panel asks for.
  /// - Returns: whether the reader stays.
  mutating func listen(_ details: LiveDetails) -> Bool {
    do throws(SystemCallError) {
      answerNext(details)
      while output.isEmpty, let bytes = try SystemCalls.read(visit.descriptor, upTo: 4_096) {
        if bytes.isEmpty { return false }
        guard case .panel(var panel) = role else { continue }
        panel.receive(bytes.span)
        role = .panel(panel)
        answerNext(details)
      }
      return true
    } catch {
      return false
    }
  }

  /// Answers what a panel has sent, up to the first answer.
  private mutating func answerNext(_ details: LiveDetails) {
    guard case .panel(var panel) = role else { return }
    var answer: [UInt8] = []
    while answer.isEmpty {
      switch panel.answer(details, to: &answer) {
      case .answered: continue
      case .waiting:
        role = .panel(panel)
        return
      case .ended:
        role = .answer
        output = answer[...]
        return
      }
    }
    role = .panel(panel)
    output = answer[...]
  }

  /// Adds the next piece that a reader has not been told.
  ///
  /// - Parameter epoch: tells the recording from others.
  /// - Returns: whether there is anything new.
  mutating func addNews(of capture: inout LiveCapture, _ details: LiveDetails, epoch: String) -> Bool {
    guard output.isEmpty else { return true }
    var news: [UInt8] = []
    switch role.take() {
    case .answer: break
    case .reader(var reader):
      reader.addNews(of: &capture, epoch: epoch, to: &news)
      role = .reader(reader)
    case .panel(var panel):
      panel.addNews(of: capture, details, to: &news)
      role = .panel(panel)
    }
    output = news[...]
    return !news.isEmpty
  }

  /// Whether a reader was told everything.
  func hasAll(of capture: LiveCapture) -> Bool {
    guard output.isEmpty else { return false }
    return switch role {
    case .answer: false
    case .reader(let reader):
      reader.next >= capture.nextNumber && reader.flightVersion == capture.flightVersion
        && reader.queueVersion == capture.queueVersion
    case .panel(let panel): panel.hasAll(of: capture)
    }
  }

  /// Exchanges that a reader has not been told.
  func missing(of capture: LiveCapture) -> Int {
    switch role {
    case .answer: 0
    case .reader(let reader): capture.nextNumber - reader.next
    case .panel(let panel): panel.missing(of: capture)
    }
  }

  /// Whether a reader has taken everything, and was not told everything.
  func isOwed(newsOf capture: LiveCapture) -> Bool {
    isReader && output.isEmpty && !hasAll(of: capture)
  }

  /// The last event, which says how many exchanges the reader was not told.
  mutating func end(of capture: LiveCapture) {
    var last: [UInt8] = []
    let missing = missing(of: capture)
    switch role.take() {
    case .answer: break
    case .reader: LiveEvent.append("end", data: Array(#"{"missing":\#(missing)}"#.utf8), to: &last)
    case .panel: DevToolsSession.appendEnd(to: &last)
    }
    output += last
  }
}

extension LiveConnection.Role {
  /// The role, which is left with nobody: its value is changed in place.
  fileprivate mutating func take() -> Self {
    defer { self = .answer }
    return self
  }
}

extension LiveConnection.Reader {
  /// Appends the next piece that it has not been told.
  fileprivate mutating func addNews(of capture: inout LiveCapture, epoch: String, to news: inout [UInt8]) {
    if headerVersion != capture.headerVersion {
      headerVersion = capture.headerVersion
      LiveEvent.append("header", data: capture.header, to: &news)
    }
    if queueVersion != capture.queueVersion {
      queueVersion = capture.queueVersion
      LiveEvent.append("queue", data: capture.queue, to: &news)
    }
    skipLost(in: capture, to: &news)
    if let (rows, next) = capture.rows(from: next) {
      self.next = next
      LiveEvent.append("rows", id: "\(epoch)-\(next - 1)", data: rows, to: &news)
    } else if flightVersion != capture.flightVersion {
      flightVersion = capture.flightVersion
      LiveEvent.append("flight", data: capture.flight, to: &news)
    }
    tellMissing(of: capture, to: &news)
  }

  /// Leaves out exchanges whose file is not there any more, and tells how many.
  private mutating func skipLost(in capture: LiveCapture, to news: inout [UInt8]) {
    let count = capture.firstNumber(from: next) - next
    guard count > 0 else { return }
    next += count
    LiveEvent.append("lost", data: Array(#"{"count":\#(count)}"#.utf8), to: &news)
  }

  /// Tells how far the reader is behind, if that is far.
  private mutating func tellMissing(of capture: LiveCapture, to news: inout [UInt8]) {
    let count = capture.nextNumber - next
    let told = count >= Self.noticeable ? count : 0
    guard told != missing else { return }
    missing = told
    LiveEvent.append("behind", data: Array(#"{"count":\#(told)}"#.utf8), to: &news)
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

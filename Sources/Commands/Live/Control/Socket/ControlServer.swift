internal import Synchronization
package import TapelineOffline
internal import TapelineSystem
internal import TapelineTime

/// Serves a control socket on a thread of its own until closed.
///
/// A connection brings one request and takes one reply, within a second each way. The server waits for all silent connections at
/// once, so that no client waits for them. Only processes of the same user are answered.
package final class ControlServer: Sendable {
  private let listener: ControlListener
  private let answer: @Sendable (ControlRequest) -> ControlReply
  /// Readable once the server must end. Never read.
  private let ending: Int32
  private let thread = Mutex<SystemThread?>(nil)
  /// The clients that asked for the end of the recording. Their connections end with the process, which tells them of its end.
  private let waiting = Mutex<[ControlConnection]>([])

  private static let patience = Duration.seconds(1)
  private static let mostWaiting = 16
  /// The most callers that may be about to send a request. The oldest caller gives way to a new one.
  private static let mostCallers = 64

  /// - Parameter answer: called on the server's thread.
  package init(
    directories: [ControlDirectory], answer: @escaping @Sendable (ControlRequest) -> ControlReply
  ) throws(CommandFailure) {
    let listener = try ControlListener.open(in: directories)
    self.listener = listener
    self.answer = answer
    do throws(SystemCallError) {
      ending = try SystemCalls.makeBell()
    } catch {
      throw CommandFailure(
        status: .unavailable, what: "no control socket", why: error.text, remedy: "raise the limit of open files")
    }
    do throws(SystemCallError) {
      let started = try SystemThread(name: "tapeline-ctl", takesSignals: false) { [self] in serve() }
      thread.withLock { $0 = started }
    } catch {
      throw CommandFailure(
        status: .unavailable, what: "no control socket", why: error.text, remedy: "raise the limit of threads")
    }
  }

  deinit {
    SystemCalls.discard(ending)
  }

  /// The value for `TAPELINE_CONTROL`.
  package var path: String { listener.path }

  /// Stops serving, after the answer in progress. The owner calls this once.
  package func close() {
    listener.remove()
    do throws(SystemCallError) {
      try SystemCalls.ring(ending)
    } catch {
      preconditionFailure("an event counter takes its first count: \(error)")
    }
    thread.withLock { $0.take() }?.join()
  }

  private func serve() {
    var callers: [ControlCaller] = []
    while true {
      var requests = [PollRequest(.readable, on: ending), PollRequest(.readable, on: listener.descriptor)]
      requests += callers.map(\.connection.request)
      SystemCalls.poll(&requests, milliseconds: ControlCaller.patience(with: callers, at: .now))
      if requests[0].isReady { return }
      callers = zip(callers, requests.dropFirst(2)).compactMap { caller, request in
        request.isReady ? advance(caller) : caller
      }
      let now = MonotonicInstant.now
      callers.removeAll { $0.deadline.nanoseconds(since: now) <= 0 }
      if requests[1].isReady, let caller = accept() {
        callers.append(caller)
        if callers.count > Self.mostCallers { callers.removeFirst() }
      }
    }
  }

  private func accept() -> ControlCaller? {
    do throws(ControlConnectionError) {
      let connection = try listener.accept()
      return connection.peerUser == CurrentUser.effectiveID ? ControlCaller(connection: connection, deadline: Self.deadline) : nil
    } catch .system(ErrorCode.tooManyFiles), .system(ErrorCode.tooManyFilesOfAll), .system(ErrorCode.noMemory),
      .system(ErrorCode.noBuffers)
    {
      // The client waits until a descriptor is free again.
      SystemThread.sleep(for: Self.patience / 10)
      return nil
    } catch {
      // The client left before its turn came.
      return nil
    }
  }

  /// Receives the caller's bytes, and answers when the line is whole; `nil` when nothing more is expected of the caller.
  private func advance(_ caller: ControlCaller) -> ControlCaller? {
    var caller = caller
    do throws(ControlConnectionError) {
      guard let line = try caller.receive(limit: ControlProtocol.lineLimit) else { return caller }
      let (reply, endsRecording) = serve(line)
      try caller.connection.send(reply.line, before: Self.deadline)
      if endsRecording { keep(caller.connection) }
    } catch .lineTooLong(let limit) {
      refuse(caller.connection, ControlConnectionError.lineTooLong(limit: limit).description)
    } catch {
      // The caller left, or takes no reply: there is nobody to tell.
    }
    return nil
  }

  private func serve(_ line: [UInt8]) -> (reply: ControlReply, endsRecording: Bool) {
    do throws(ControlMessageError) {
      let request = try ControlRequest(line: line)
      return (answer(request), request == .stop)
    } catch {
      return (Self.refusal(error.description), false)
    }
  }

  private func refuse(_ connection: ControlConnection, _ why: String) {
    do throws(ControlConnectionError) {
      try connection.send(Self.refusal(why).line, before: Self.deadline)
    } catch {
      // The caller does not take this reply either.
    }
  }

  private static func refusal(_ why: String) -> ControlReply {
    .failure(
      CommandFailure(status: .usage, what: "control request", why: why, remedy: "send what docs/control.md describes"))
  }

  private func keep(_ connection: ControlConnection) {
    waiting.withLock { waiting in
      if waiting.count < Self.mostWaiting { waiting.append(connection) }
    }
  }

  private static var deadline: MonotonicInstant {
    .now.advanced(by: patience)
  }
}

/// A client that has connected to the control socket and has not sent its whole line yet.
struct ControlCaller {
  let connection: ControlConnection
  /// The server waits for the client until then.
  let deadline: MonotonicInstant
  private var line: [UInt8] = []

  init(connection: ControlConnection, deadline: MonotonicInstant) {
    self.connection = connection
    self.deadline = deadline
  }

  /// The line without its end, once that has come. What follows it is dropped: there is one line each way.
  mutating func receive(limit: Int) throws(ControlConnectionError) -> [UInt8]? {
    while let piece = try connection.receiveNow() {
      guard !piece.isEmpty else { throw .closed }
      let end = piece.firstIndex(of: UInt8(ascii: "\n"))
      line += piece[..<(end ?? piece.endIndex)]
      guard line.count <= limit else { throw .lineTooLong(limit: limit) }
      if end != nil { return line }
    }
    return nil
  }

  /// Milliseconds until the first deadline, when a silent caller must be dropped; `nil` without callers.
  static func patience(with callers: [ControlCaller], at now: MonotonicInstant) -> Int32? {
    guard let first = callers.map({ $0.deadline.nanoseconds(since: now) }).min() else { return nil }
    return Int32(clamping: max(0, first) / 1_000_000 + 1)
  }
}

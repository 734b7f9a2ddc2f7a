internal import CTapeline
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TapelineTime

/// Serves a control socket on a thread of its own until closed.
///
/// A connection brings one request and takes one reply, within a second each way. Those that say nothing yet are waited for all at once,
/// so that nobody waits for them. Only processes of the same user are answered.
final class ControlServer: Sendable {
  private let listener: ControlListener
  private let answer: @Sendable (ControlRequest) -> ControlReply
  /// Readable once the server shall end. Never read.
  private let ending: Int32
  private let ended = DispatchSemaphore(value: 0)
  /// Who asked for the end of the recording: those connections end with the process, which tells when it has ended.
  private let waiting = Mutex<[ControlConnection]>([])

  private static let patience: Int64 = 1_000_000_000
  private static let mostWaiting = 16
  /// So many may be about to ask. The one that has been longest gives way to another.
  private static let mostCallers = 64

  /// - Parameter answer: called on the server's thread.
  init(directories: [ControlDirectory], answer: @escaping @Sendable (ControlRequest) -> ControlReply) throws(CommandFailure) {
    let listener = try ControlListener.open(in: directories)
    let ending = tapeline_eventfd()
    guard ending >= 0 else {
      throw CommandFailure(
        status: .unavailable, what: "no control socket", why: systemErrorText(-ending), remedy: "raise the limit of open files")
    }
    self.listener = listener
    self.answer = answer
    self.ending = ending
    DispatchQueue(label: "tapeline.control").async { [self] in
      serve()
      ended.signal()
    }
  }

  deinit {
    _ = tapeline_close(ending)
  }

  /// What `TAPELINE_CONTROL` says.
  var path: String { listener.path }

  /// Serves nobody any more, once what is being answered is answered. Called once, by the owner.
  func close() {
    listener.remove()
    let cause = writeAll([1, 0, 0, 0, 0, 0, 0, 0], to: ending)
    precondition(cause == 0, "an event counter takes its first count")
    ended.wait()
  }

  private func serve() {
    var callers: [ControlCaller] = []
    while true {
      var requests = [
        pollfd(fd: ending, events: Int16(POLLIN), revents: 0), pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      requests += callers.map(\.connection.request)
      _ = unsafe poll(&requests, nfds_t(requests.count), ControlCaller.patience(with: callers, at: .now))
      if requests[0].revents != 0 { return }
      callers = zip(callers, requests.dropFirst(2)).compactMap { caller, request in
        request.revents == 0 ? caller : advance(caller)
      }
      let now = MonotonicInstant.now
      callers.removeAll { $0.deadline.nanoseconds(since: now) <= 0 }
      if requests[1].revents != 0, let caller = accept() {
        callers.append(caller)
        if callers.count > Self.mostCallers { callers.removeFirst() }
      }
    }
  }

  private func accept() -> ControlCaller? {
    do throws(ControlConnectionError) {
      let connection = try listener.accept()
      return connection.peerUser == geteuid() ? ControlCaller(connection: connection, deadline: Self.deadline) : nil
    } catch .system(EMFILE), .system(ENFILE), .system(ENOMEM), .system(ENOBUFS) {
      // Whoever connects waits until there is a descriptor again.
      pause(nanoseconds: Self.patience / 10)
      return nil
    } catch {
      // The client left before its turn came.
      return nil
    }
  }

  /// Takes what has come, and answers when that is a whole line; `nil` when nothing more is expected of the caller.
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
      // It left, or takes no reply: there is nobody to tell.
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
      // It does not listen either.
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
    .now.advanced(byNanoseconds: patience)
  }
}

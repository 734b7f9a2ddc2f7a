internal import CTapeline
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TapelineTime

/// Serves a control socket on a thread of its own, one connection after the other, until closed.
///
/// A connection brings one request and takes one reply, within a second each way, so whoever connects and says nothing delays
/// the others by no more than that, and the proxy by nothing. Only processes of the same user are answered.
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
    while true {
      var requests = [
        pollfd(fd: ending, events: Int16(POLLIN), revents: 0), pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      _ = unsafe poll(&requests, 2, -1)
      if requests[0].revents != 0 { return }
      guard requests[1].revents != 0 else { continue }
      do throws(ControlConnectionError) {
        serve(try listener.accept())
      } catch .system(EMFILE), .system(ENFILE), .system(ENOMEM), .system(ENOBUFS) {
        // Whoever connects waits until there is a descriptor again.
        pause(nanoseconds: Self.patience / 10)
      } catch {
        // The client left before its turn came.
      }
    }
  }

  private func serve(_ connection: ControlConnection) {
    guard connection.peerUser == geteuid() else { return }
    do throws(ControlConnectionError) {
      let line = try connection.receiveLine(limit: ControlProtocol.lineLimit, before: Self.deadline)
      let (reply, endsRecording) = serve(line)
      try connection.send(reply.line, before: Self.deadline)
      if endsRecording { keep(connection) }
    } catch .lineTooLong(let limit) {
      refuse(connection, ControlConnectionError.lineTooLong(limit: limit).description)
    } catch {
      // It said nothing in time, left, or takes no reply: there is nobody to tell.
    }
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

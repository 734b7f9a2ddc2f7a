import Dispatch
import TapelineHTTP
import TapelineLoop
import TapelineTime

@testable import TapelineTransport

/// A transport without a wire: it notes what it is asked, and the test says what happens. Loop-bound.
final class ScriptedTransport: Transport {
  private(set) var started: [SessionTask] = []
  fileprivate(set) var cancelled: [Int] = []
  fileprivate(set) var resumed: [Int] = []
  private(set) var sentBody: [UInt8] = []
  /// Signalled for every task that is started.
  let startSignal = DispatchSemaphore(value: 0)

  func start(_ task: SessionTask) {
    started.append(task)
    task.carrier = Carrier(task, transport: self)
    startSignal.signal()
  }

  /// Delivers nothing before the decision, and keeps no connection.
  private final class Carrier: TaskCarrier {
    private unowned let task: SessionTask
    private unowned let transport: ScriptedTransport

    let reached = TransportError.Phase.send

    init(_ task: SessionTask, transport: ScriptedTransport) {
      self.task = task
      self.transport = transport
    }

    func resumeReceiving() {
      transport.resumed.append(task.taskIdentifier)
    }

    func decide(_ decision: ResponseDecision) {
      switch decision {
      case .proceed: break
      case .cancel: cancel(task)
      case .repeat: transport.start(task)
      }
    }

    func cancel(_ task: SessionTask) {
      transport.cancelled.append(task.taskIdentifier)
      task.complete(with: .cancelled)
    }
  }

  /// Takes the body as a connection would, `limit` bytes at a time, until it ends or has nothing now.
  func pullBody(of task: SessionTask, limit: Int) {
    while case .bytes(let chunk) = task.nextBodyChunk(limit: limit) {
      sentBody += chunk
      task.didSendBody(chunk.count)
    }
  }
}

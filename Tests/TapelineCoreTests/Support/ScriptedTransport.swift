import Dispatch
import TapelineHTTP
import TapelineLoop
import TapelineTime

@testable import TapelineTransport

/// A transport without a wire: it notes what it is asked, and the test says what happens. Loop-bound.
final class ScriptedTransport: Transport {
  private(set) var started: [SessionTask] = []
  private(set) var cancelled: [Int] = []
  private(set) var resumed: [Int] = []
  private(set) var sentBody: [UInt8] = []
  /// Signalled for every task that is started.
  let startSignal = DispatchSemaphore(value: 0)

  func start(_ task: SessionTask) {
    started.append(task)
    startSignal.signal()
  }

  func cancel(_ task: SessionTask) {
    cancelled.append(task.taskIdentifier)
    task.complete(with: .cancelled)
  }

  func bodyBecameAvailable(for task: SessionTask) {}

  func resumeReceiving(for task: SessionTask) {
    resumed.append(task.taskIdentifier)
  }

  func send(_ bytes: Span<UInt8>, on task: SessionTask) -> Demand { .more }

  func finishSending(on task: SessionTask) {}

  /// Takes the body as a connection would, `limit` bytes at a time, until it ends or has nothing now.
  func pullBody(of task: SessionTask, limit: Int) {
    while case .bytes(let chunk) = task.nextBodyChunk(limit: limit) {
      sentBody += chunk
      task.didSendBody(chunk.count)
    }
  }
}

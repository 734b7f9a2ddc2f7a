internal import TapelineSystem

/// The recorder's thread, from start to join. It takes no signals: the main thread handles them.
struct RecorderThread: ~Copyable {
  private let thread: SystemThread
  private let box: RecorderBox

  /// Starts the thread and gives it the worker.
  init(running worker: sending RecorderWorker) throws(RecorderError) {
    let box = RecorderBox(worker)
    do throws(SystemCallError) {
      thread = try SystemThread(name: "tapeline-record", takesSignals: false) { box.run() }
    } catch {
      throw .cannotStartThread(code: error.code)
    }
    self.box = box
  }

  /// Waits until the worker has written everything.
  consuming func join() -> RecorderSummary {
    thread.join()
    return box.summary
  }
}

/// Carries the worker to the thread, and the summary back.
///
/// Safety: the starting thread writes before the recorder's thread begins, that thread uses it until it ends, and the joining
/// thread reads after the join; start and join order these three.
private final class RecorderBox: @unchecked Sendable {
  private let worker: RecorderWorker
  private(set) var summary = RecorderSummary()

  init(_ worker: sending RecorderWorker) {
    self.worker = worker
  }

  func run() {
    summary = worker.run()
  }
}

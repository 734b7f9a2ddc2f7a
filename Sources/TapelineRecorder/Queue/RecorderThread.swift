internal import Glibc

/// The recorder's thread, from start to join. It takes no signals: those are for the main thread.
struct RecorderThread: ~Copyable {
  private let handle: pthread_t
  private let box: RecorderBox

  /// Starts the thread and gives it the worker.
  init(running worker: sending RecorderWorker) throws(RecorderError) {
    let box = RecorderBox(worker)
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var handle = pthread_t()
    // The one retain; `runRecorder` releases it. When there is no thread, we do.
    let context = unsafe Unmanaged.passRetained(box)
    let code = unsafe pthread_create(&handle, nil, runRecorder, context.toOpaque())
    guard code == 0 else {
      unsafe context.release()
      throw .cannotStartThread(code: code)
    }
    self.handle = handle
    self.box = box
  }

  /// Waits until the worker has written everything.
  consuming func join() -> RecorderSummary {
    let code = pthread_join(handle, nil)
    precondition(code == 0, "the recorder's thread is joined once, by whoever finishes the recorder")
    return box.summary
  }
}

/// Carries the worker to the thread, and the summary back.
///
/// Safety: the starting thread writes before `pthread_create`, the recorder's thread uses it until it ends, and the joining
/// thread reads after `pthread_join`; the two calls order these three.
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

/// Gives the calling thread the name that debuggers and `top` show, at most 15 bytes; without it nothing is lost.
private func nameThread(_ name: StaticString) {
  let descriptor = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  _ = unsafe write(descriptor, name.utf8Start, name.utf8CodeUnitCount)
  _ = close(descriptor)
}

private func runRecorder(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else {
    preconditionFailure("the recorder's thread started without its worker")
  }
  nameThread("tapeline-record")
  unsafe Unmanaged<RecorderBox>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

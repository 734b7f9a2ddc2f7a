internal import Synchronization
internal import TapelineSystem

/// The output of a program on one of its descriptors, collected by a thread until the last writer closes it.
final class ProcessOutput: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var hasEnded = false

    /// A whole line: one whose line end has been written.
    func line(containing text: String) -> String? {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      return lines.dropLast().first { $0.contains(text) }.map(String.init)
    }
  }

  private let state = Monitor(State())

  /// Takes ownership of `descriptor`.
  init(reading descriptor: Int32) throws(TestSupportError) {
    _ = try TestThread { [state] in
      do throws(SystemCallError) {
        while let piece = try SystemCalls.read(descriptor, upTo: 1 << 16), !piece.isEmpty {
          state.change { $0.bytes += piece }
        }
      } catch {
        // No more output comes.
      }
      SystemCalls.discard(descriptor)
      state.change { $0.hasEnded = true }
    }
  }

  var bytes: [UInt8] { state.read { $0.bytes } }

  func waitForEnd(before deadline: Deadline) throws(TestSupportError) {
    guard state.wait(before: deadline, until: { $0.hasEnded }, then: { _ in }) != nil else {
      throw .timedOut(waitingFor: "the end of a program's output")
    }
  }

  func waitForLine(containing text: String, before deadline: Deadline) throws(TestSupportError) -> String {
    let found = state.wait(before: deadline, until: { $0.hasEnded || $0.line(containing: text) != nil }, then: { $0 })
    guard let found, let line = found.line(containing: text) else {
      throw .timedOut(
        waitingFor: "a line with \(text.debugDescription); the program wrote: \(String(decoding: bytes, as: UTF8.self))")
    }
    return line
  }
}

/// A program's standard input: written by a thread, so that a program that does not read cannot hold up a test.
final class ProcessInput: Sendable {
  private let descriptor: Mutex<Int32?>

  /// Takes ownership of `descriptor`; closes it after `bytes`, or only on `close` if `bytes` is `nil`.
  init(writing bytes: [UInt8]?, to descriptor: Int32) throws(TestSupportError) {
    guard let bytes else {
      self.descriptor = Mutex(descriptor)
      return
    }
    self.descriptor = Mutex(nil)
    _ = try TestThread {
      do throws(SystemCallError) {
        try SystemCalls.writeAll(bytes.span, to: descriptor)
      } catch {
        // If a program ends without reading, the pipe cannot be written: the program's exit status tells the test.
      }
      SystemCalls.discard(descriptor)
    }
  }

  deinit {
    close()
  }

  /// Writes to an input that is kept open; a program that has ended hears nothing.
  func write(_ bytes: [UInt8]) {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      try? SystemCalls.writeAll(bytes.span, to: open)
    }
  }

  func close() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      SystemCalls.discard(open)
      descriptor = nil
    }
  }
}

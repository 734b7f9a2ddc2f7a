internal import TapelineSystem

/// The response debug descriptions of all exchanges as text, one after the other with an empty line between.
///
/// Owned by the recorder's thread.
struct DebugLog: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  /// Text that is not written yet.
  private var text: [UInt8] = []

  init(_ destination: DebugLogDestination) throws(RecorderError) {
    switch destination {
    case .standardOutput:
      path = "standard output"
      descriptor = StandardStream.output
      ownsDescriptor = false
    case .file(let path):
      self.path = path
      descriptor = try Self.open(path)
      ownsDescriptor = true
    }
  }

  deinit {
    // Every flush has reported its own failure.
    if ownsDescriptor { SystemCalls.discard(descriptor) }
  }

  /// Opens a log file of ours for appending, or a stream.
  private static func open(_ path: String) throws(RecorderError) -> Int32 {
    do throws(PrivateFileError) {
      return try PrivateFile.openLog(path)
    } catch {
      throw RecorderError(error, path: path)
    }
  }

  mutating func append(_ description: String) {
    text.append(contentsOf: description.utf8)
    text.append(contentsOf: "\n\n".utf8)
  }

  /// Writes the appended text; text that cannot be written is discarded.
  mutating func flush() throws(RecorderError) {
    defer { text.removeAll(keepingCapacity: true) }
    do throws(SystemCallError) {
      try SystemCalls.writeAll(text.span, to: descriptor)
    } catch {
      throw .writeFailed(path: path, code: error.code)
    }
  }
}

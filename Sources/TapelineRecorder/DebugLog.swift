internal import Glibc

/// The response debug descriptions of all exchanges as text, one after the other with an empty line between.
///
/// Owned by the recorder's thread.
struct DebugLog: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  /// Text to be written.
  private var text: [UInt8] = []

  init(_ destination: DebugLogDestination) throws(RecorderError) {
    switch destination {
    case .standardOutput:
      path = "standard output"
      descriptor = STDOUT_FILENO
      ownsDescriptor = false
    case .file(let path):
      self.path = path
      descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      ownsDescriptor = true
      guard descriptor >= 0 else { throw .cannotCreate(path: path, code: errno) }
    }
  }

  deinit {
    // Every flush has reported its own failure.
    if ownsDescriptor { _ = close(descriptor) }
  }

  mutating func append(_ description: String) {
    text.append(contentsOf: description.utf8)
    text.append(contentsOf: "\n\n".utf8)
  }

  /// Writes what was appended; what cannot be written is forgotten.
  mutating func flush() throws(RecorderError) {
    defer { text.removeAll(keepingCapacity: true) }
    let code = FileOutput.write(text.span, to: descriptor)
    guard code == 0 else { throw .writeFailed(path: path, code: code) }
  }
}

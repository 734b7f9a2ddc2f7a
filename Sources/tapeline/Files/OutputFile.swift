internal import CTapeline
internal import Glibc

/// A file that a command makes, or standard output. Mode 0600, since logs hold what nobody else should see.
///
/// A file that holds anything is never touched; one that was not written to its end does not stay.
final class OutputFile {
  /// `nil` is standard output.
  private let path: String?
  private let descriptor: Int32
  private var isFinished = false

  /// Standard output.
  init() {
    path = nil
    descriptor = STDOUT_FILENO
  }

  /// Makes the file. An empty one may be there already: `mktemp` makes such.
  init(path: String) throws(CommandFailure) {
    self.path = path
    let made = unsafe tapeline_open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    // Never blocks, should it be a pipe that nobody reads.
    let descriptor = made == -EEXIST ? unsafe tapeline_open(path, O_WRONLY | O_NONBLOCK, 0) : made
    guard descriptor >= 0 else { throw Self.cannotCreate(path, systemErrorText(-descriptor)) }
    var status = stat()
    let isEmpty = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    guard isEmpty else {
      _ = tapeline_close(descriptor)
      throw Self.cannotCreate(path, "it exists already")
    }
    self.descriptor = descriptor
  }

  deinit {
    guard let path, !isFinished else { return }
    _ = tapeline_close(descriptor)
    _ = unsafe unlink(path)
  }

  func write(_ octets: Span<UInt8>) throws(CommandFailure) {
    let octets = unsafe octets.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    try check(writeAll(octets, to: descriptor))
  }

  /// Whoever writes says at the end that all is written: only then does the file stay.
  func finish() throws(CommandFailure) {
    guard path != nil else { return }
    try check(fsync(descriptor) == 0 ? 0 : errno)
    isFinished = true
    try check(-tapeline_close(descriptor))
  }

  private func check(_ cause: Int32) throws(CommandFailure) {
    guard cause != 0 else { return }
    throw CommandFailure(
      status: .writeFailed, what: path ?? "standard output", why: systemErrorText(cause),
      remedy: "free some space or choose another target")
  }

  private static func cannotCreate(_ path: String, _ why: String) -> CommandFailure {
    CommandFailure(status: .cannotCreate, what: path, why: why, remedy: "choose another name with -o, or remove it")
  }
}

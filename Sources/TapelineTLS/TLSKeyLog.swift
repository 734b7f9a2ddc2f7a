internal import TapelineSystem

/// Writes the secrets of connections to a file for Wireshark and similar tools, in the format of `SSLKEYLOGFILE`.
///
/// Usable from any thread: each line is one write, and the system appends it whole.
package final class TLSKeyLog: Sendable {
  private let descriptor: Int32

  /// Opens or creates the file; only its owner may read it.
  package init(path: String) throws(TLSError) {
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.openLog(path)
    } catch {
      throw TLSError(.configuration, "the key log \(path) cannot be opened: \(error)")
    }
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// A line that cannot be written is lost: a debugging aid does not stop the traffic.
  func append(_ line: String) {
    do throws(SystemCallError) {
      try SystemCalls.writeAll(Array((line + "\n").utf8).span, to: descriptor)
    } catch {
      // The line is lost.
    }
  }
}

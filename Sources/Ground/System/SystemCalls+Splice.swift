internal import CTapeline
internal import Glibc

// Bytes that go from one socket to another without being copied into the program: through a pipe (splice(2)).
extension SystemCalls {
  /// Moves at most `count` bytes; one of the two descriptors is a pipe. 0 is the end of a socket's input.
  package static func splice(from source: Int32, to destination: Int32, count: Int) throws(SystemCallError) -> IOResult {
    try ioResult(.splice) { tapeline_splice(source, destination, count) }
  }

  /// How many bytes a read would bring now.
  package static func bytesWaiting(in descriptor: Int32) throws(SystemCallError) -> Int {
    Int(try retrying(.control) { tapeline_bytes_waiting(descriptor) })
  }
}

/// Owns both ends of a pipe that does not block.
package struct Pipe: ~Copyable {
  package let input: FileDescriptor
  package let output: FileDescriptor
  /// How many bytes it holds, in pages: a piece of memory that is shorter than a page takes the room of one.
  package let capacity: Int

  /// - Parameter capacity: wanted, in bytes.
  /// - Throws: also where the kernel refuses a pipe of this size to a user who has many.
  package init(capacity: Int) throws(SystemCallError) {
    let ends = try SystemCalls.makePipe(isNonBlocking: true)
    do throws(SystemCallError) {
      self.capacity = Int(try SystemCalls.retrying(.duplicate) { tapeline_size_pipe(ends.write, Int32(capacity)) })
    } catch {
      SystemCalls.discard(ends.read)
      SystemCalls.discard(ends.write)
      throw error
    }
    output = FileDescriptor(owning: ends.read)
    input = FileDescriptor(owning: ends.write)
  }

  package consuming func discard() {
    input.discard()
    output.discard()
  }
}

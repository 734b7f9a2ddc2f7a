package import TapelineOffline
internal import TapelineSystem

/// The file that tells scripts where the proxy listens: one `HOST:PORT` per line.
package enum PortFile {
  /// Writes the file whole or not at all: a script that waits for it to appear never reads half of it. A stream (a FIFO of ours,
  /// a terminal, `/dev/fd/3`) is written into instead. A file that holds anything but addresses is not a port file, and stays.
  package static func write(_ endpoints: [Endpoint], to path: String) throws(CommandFailure) {
    let bytes = Array(endpoints.map { "\($0)\n" }.joined().utf8)
    do throws(PrivateFileError) {
      if let stream = try PrivateFile.openStream(path, flags: .writeOnly) {
        try fill(stream, with: bytes)
      } else {
        guard holdsOnlyAddresses(path) else { throw .exists }
        try WholeFile.write(bytes, to: path)
      }
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: "--port-file \(path)", why: error.description, remedy: "name a file that can be written")
    }
  }

  /// Also true of a file that does not exist.
  private static func holdsOnlyAddresses(_ path: String) -> Bool {
    do throws(SystemCallError) {
      let text = String(decoding: try WholeFile.read(path, limit: longest), as: UTF8.self)
      return text.split(separator: "\n").allSatisfy { Endpoint(String($0)) != nil }
    } catch {
      return error.code != ErrorCode.tooLarge
    }
  }

  /// In bytes; far more than all the addresses of a machine need.
  private static let longest = 4_096

  private static func fill(_ stream: Int32, with bytes: [UInt8]) throws(PrivateFileError) {
    do throws(SystemCallError) {
      do throws(SystemCallError) {
        try SystemCalls.writeAll(bytes.span, to: stream)
      } catch {
        SystemCalls.discard(stream)
        throw error
      }
      try SystemCalls.close(stream)
    } catch {
      throw .system(error.code)
    }
  }

  /// The first address in such a file.
  package static func read(_ path: String) throws(CommandFailure) -> Endpoint {
    let bytes: [UInt8]
    do throws(SystemCallError) {
      bytes = try WholeFile.readStart(path, limit: 256)
    } catch {
      throw CommandFailure(
        status: .unavailable, what: "--port-file \(path)", why: error.text,
        remedy: "start tapeline record --port-file \(path) first")
    }
    let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard let endpoint = Endpoint(line) else {
      throw CommandFailure(
        status: .badInput, what: "--port-file \(path)", why: "its first line is not HOST:PORT",
        remedy: "name the file that tapeline record --port-file wrote")
    }
    return endpoint
  }
}

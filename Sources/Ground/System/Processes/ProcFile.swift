internal import CTapeline
internal import Glibc
internal import TapelineBase

/// Reads the kernel's files under /proc. A file that is gone meanwhile, or that we may not read, gives `nil` or an empty result:
/// processes end while we look at them.
package enum ProcFile {
  /// The content, or its first `limit` bytes.
  package static func read(_ path: String, limit: Int) -> [UInt8]? {
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path)
      defer { SystemCalls.discard(descriptor) }
      var content: [UInt8] = []
      while content.count < limit, let piece = try SystemCalls.read(descriptor, upTo: min(limit - content.count, pieceSize)) {
        if piece.isEmpty { break }
        content += piece
      }
      return content
    } catch {
      return nil
    }
  }

  private static let pieceSize = 32_768

  /// The first line that has `text` right after its number, as in `7: text…`.
  package static func row(of content: [UInt8], beginningWith text: [UInt8]) -> ArraySlice<UInt8>? {
    var start = 0
    while start < content.count {
      let end = position(of: UInt8(ascii: "\n"), in: content, from: start) ?? content.count
      if let colon = position(of: UInt8(ascii: ":"), in: content, from: start), colon + 2 < end,
        content[(colon + 2)..<end].starts(with: text)
      {
        return content[start..<end]
      }
      start = end + 1
    }
    return nil
  }

  /// The table of sockets may be long.
  private static func position(of byte: UInt8, in content: [UInt8], from start: Int) -> Int? {
    content.span.firstIndex(of: byte, from: start)
  }

  /// The target of a symbolic link.
  package static func link(_ path: String) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { target in
      guard let start = target.baseAddress else { return nil }
      let count = unsafe tapeline_readlink(path, start, target.count)
      // A target that fills the buffer may be truncated.
      guard count > 0, count < target.count else { return nil }
      return unsafe String(decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<count]), as: UTF8.self)
    }
  }

  /// The names in `directory` that are numbers (processes or descriptors), at most `limit` of them.
  package static func numbers(in directory: String, limit: Int) -> [Int32] {
    var numbers: [Int32] = []
    unsafe forEachNumber(in: directory) { number, _, _ in
      numbers.append(number)
      return numbers.count < limit
    }
    return numbers
  }

  /// The sockets in a directory of descriptors by their inodes, in no particular order; looks at the first `limit` descriptors
  /// only.
  ///
  /// Links are read and not followed: a descriptor may refer to a file on a server that does not answer.
  package static func forEachSocket(in directory: String, limit: Int, _ body: (_ descriptor: Int32, _ inode: UInt64) -> Bool) {
    var count = 0
    unsafe forEachNumber(in: directory) { number, descriptors, name in
      count += 1
      if let inode = unsafe socketInode(at: name, in: descriptors), !body(number, inode) { return false }
      return count < limit
    }
  }

  /// The inode of the socket that a descriptor refers to; `nil` if there is no such descriptor, or it refers to something else.
  package static func socket(at path: String) -> UInt64? {
    unsafe path.withCString { unsafe socketInode(at: $0, in: AT_FDCWD) }
  }

  private static func socketInode(at name: UnsafePointer<CChar>, in directory: Int32) -> UInt64? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: socketTargetSize) { target in
      guard let start = target.baseAddress else { return nil }
      let length = unsafe readlinkat(directory, name, start, target.count)
      guard length > 0 else { return nil }
      return unsafe socketInode(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<length]))
    }
  }

  /// The size of `socket:[` and the longest number. A longer target belongs to a file; it is truncated and is not a socket's.
  private static let socketTargetSize = 32

  /// The number in `socket:[4711]`.
  private static func socketInode(_ link: UnsafeRawBufferPointer) -> UInt64? {
    let prefix = "socket:[".utf8
    guard link.count > prefix.count, unsafe link.starts(with: prefix) else { return nil }
    var inode: UInt64 = 0
    for index in prefix.count..<link.count {
      let byte = unsafe link[index]
      if byte == UInt8(ascii: "]") { return inode }
      guard Byte.isDigit(byte) else { return nil }
      inode = inode &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
    }
    return nil
  }

  /// - Parameter body: takes the number, the directory's descriptor and the name; returns whether to continue.
  private static func forEachNumber(in path: String, _ body: (Int32, Int32, UnsafePointer<CChar>) -> Bool) {
    do throws(SystemCallError) {
      try unsafe Directory.forEachName(in: path) { name, descriptor in
        guard let number = unsafe number(name) else { return true }
        return unsafe body(number, descriptor, name)
      }
    } catch {
      // The process has ended, or we may not look at it.
    }
  }

  private static func number(_ name: UnsafePointer<CChar>) -> Int32? {
    var number: Int32 = 0
    var index = 0
    while true {
      let byte = unsafe UInt8(bitPattern: name[index])
      if byte == 0 { return index > 0 ? number : nil }
      guard Byte.isDigit(byte), index < 9 else { return nil }
      number = number * 10 + Int32(byte - UInt8(ascii: "0"))
      index += 1
    }
  }
}

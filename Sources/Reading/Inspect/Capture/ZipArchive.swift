internal import TapelineCoding
internal import TapelineSystem

/// A ZIP archive with a log and the files that the log names, as Playwright's `recordHar` makes them.
///
/// Members that are stored or deflated are read, from the directory at the archive's end (APPNOTE.TXT, 4.3).
final class ZipArchive: Sendable {
  private struct Member {
    let isDeflated: Bool
    let packedSize: Int
    let size: Int
    let offset: Int
  }

  /// Owned.
  private let descriptor: Int32
  private let members: [String: Member]

  private static let signature: [UInt8] = Array("PK\u{3}\u{4}".utf8)
  private static let endSignature: [UInt8] = Array("PK\u{5}\u{6}".utf8)
  private static let entrySignature: [UInt8] = Array("PK\u{1}\u{2}".utf8)
  /// The end has 22 bytes and a comment of at most 65,535.
  private static let endSize = 22
  private static let largestDirectory = 64 << 20
  private static let largestMember = 1 << 30

  /// `nil` if the file cannot be read, or is none.
  convenience init?(path: String) {
    guard SystemCalls.statusIfPresent(of: path)?.kind == .regular else { return nil }
    do throws(SystemCallError) {
      self.init(owning: try SystemCalls.open(path, [.nonBlocking]))
    } catch {
      return nil
    }
  }

  private init?(owning descriptor: Int32) {
    self.descriptor = descriptor
    guard Self.read(descriptor, 0..<4) == Self.signature, let members = Self.directory(of: descriptor) else {
      // A failed initialiser of a class whose properties are not all set has no `deinit`.
      SystemCalls.discard(descriptor)
      return nil
    }
    self.members = members
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// The name of the only log.
  private var logName: String? {
    let names = members.keys.filter { $0.hasSuffix(".har") && !$0.contains("/") }
    return names.count == 1 ? names.first : nil
  }

  /// The bytes of the only log; `nil` if there is none, or more than one.
  var log: [UInt8]? { logName.flatMap { self[$0] } }

  /// The bytes of a member; `nil` if there is none of this name, or it cannot be unpacked.
  subscript(name: String) -> [UInt8]? {
    guard let member = members[name], member.size <= Self.largestMember, member.packedSize <= Self.largestMember,
      let head = Self.read(descriptor, member.offset..<member.offset + 30), head.starts(with: Self.signature)
    else { return nil }
    let start = member.offset + 30 + head.number(at: 26, size: 2) + head.number(at: 28, size: 2)
    guard let packed = Self.read(descriptor, start..<start + member.packedSize) else { return nil }
    guard member.isDeflated else { return packed }
    let (output, error) = ContentDecoder().decodeAsFarAsItGoes(packed, [.deflate], limit: member.size + 1)
    return error == nil && output.bytes.count == member.size ? output.bytes : nil
  }

  private static func directory(of descriptor: Int32) -> [String: Member]? {
    guard let size = size(of: descriptor), let tail = read(descriptor, max(0, size - endSize - 65_535)..<size) else { return nil }
    let last = tail.indices.dropLast(endSize - 1).last { tail[$0...].starts(with: endSignature) }
    guard let last else { return nil }
    let end = Array(tail[last...])
    let (length, offset) = (end.number(at: 12, size: 4), end.number(at: 16, size: 4))
    guard length <= largestDirectory, let directory = read(descriptor, offset..<offset + length) else { return nil }
    return members(in: directory)
  }

  private static func members(in directory: [UInt8]) -> [String: Member] {
    var members: [String: Member] = [:]
    var place = 0
    while directory.count - place >= 46, directory[place...].starts(with: entrySignature) {
      let entry = Array(directory[place..<place + 46])
      let nameEnd = place + 46 + entry.number(at: 28, size: 2)
      let method = entry.number(at: 10, size: 2)
      guard nameEnd <= directory.count else { break }
      if method == 0 || method == 8 {
        let name = String(decoding: directory[place + 46..<nameEnd], as: UTF8.self)
        members[name] = Member(
          isDeflated: method == 8, packedSize: entry.number(at: 20, size: 4), size: entry.number(at: 24, size: 4),
          offset: entry.number(at: 42, size: 4))
      }
      place = nameEnd + entry.number(at: 30, size: 2) + entry.number(at: 32, size: 2)
    }
    return members
  }

  private static func size(of descriptor: Int32) -> Int? {
    do throws(SystemCallError) {
      let status = try SystemCalls.status(of: descriptor)
      return status.kind == .regular ? status.size : nil
    } catch {
      return nil
    }
  }

  /// All of the range; `nil` if the file ends before it.
  private static func read(_ descriptor: Int32, _ range: Range<Int>) -> [UInt8]? {
    guard let size = size(of: descriptor), range.upperBound <= size else { return nil }
    var bytes = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    do throws(SystemCallError) {
      while filled < bytes.count {
        let count = try SystemCalls.read(descriptor, at: range.lowerBound + filled, into: &bytes, from: filled)
        guard count > 0 else { return nil }
        filled += count
      }
      return bytes
    } catch {
      return nil
    }
  }
}

extension [UInt8] {
  /// The little-endian number of `size` bytes; the array has them.
  fileprivate func number(at index: Int, size: Int) -> Int {
    (0..<size).reduce(0) { $0 | Int(self[index + $1]) << (8 * $1) }
  }
}

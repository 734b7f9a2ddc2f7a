internal import TapelineCoding
internal import TapelineSystem

/// A ZIP archive with a log and the files that the log names, as Playwright's `recordHar` makes them.
///
/// Members that are stored or deflated are read, from the directory at the archive's end (APPNOTE.TXT, 4.3).
final class ZipArchive: Sendable {
  private struct Member {
    let isDeflated: Bool
    /// CRC-32.
    let check: Int
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
  private static let largestDirectory = 4 << 20
  private static let pieceSize = 256 << 10
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

  /// Whether there is exactly one log.
  var hasLog: Bool { logName != nil }

  /// Gives the bytes of the only log piece by piece, however many there are. Answers whether all of it could be unpacked.
  func unpackLog<Failure: Error>(_ take: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) -> Bool {
    guard let member = logName.flatMap({ members[$0] }), let start = start(of: member) else { return false }
    guard member.isDeflated else {
      for place in stride(from: 0, to: member.packedSize, by: Self.pieceSize) {
        let end = min(member.packedSize, place + Self.pieceSize)
        guard let piece = Self.read(descriptor, start + place..<start + end) else { return false }
        try take(piece.span)
      }
      return true
    }
    // With what gzip has around it (RFC 1952 2.3), it is a file of gzip.
    let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    let tail = [member.check, member.size].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    guard let inflater = FileDecompressor(startingWith: head.span) else { return false }
    var room = [UInt8](repeating: 0, count: Self.pieceSize)
    guard try Self.inflate(head, by: inflater, through: &room, take) else { return false }
    for place in stride(from: 0, to: member.packedSize, by: Self.pieceSize) {
      let end = min(member.packedSize, place + Self.pieceSize)
      guard let piece = Self.read(descriptor, start + place..<start + end),
        try Self.inflate(piece, by: inflater, through: &room, take)
      else { return false }
    }
    return try Self.inflate(tail, by: inflater, through: &room, take) && inflater.isComplete
  }

  private static func inflate<Failure: Error>(
    _ packed: [UInt8], by inflater: FileDecompressor, through room: inout [UInt8],
    _ take: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    var taken = 0
    while true {
      let step: (taken: Int, made: Int)
      do throws(DecodingError) {
        step = try inflater.decode(packed.span.extracting(taken..<packed.count), into: &room, from: 0)
      } catch {
        return false
      }
      taken += step.taken
      try take(room.span.extracting(first: step.made))
      if step.made < room.count, taken == packed.count { return true }
      guard step.taken + step.made > 0 else { return false }
    }
  }

  /// The bytes of a member; `nil` if there is none of this name, or it cannot be unpacked.
  subscript(name: String) -> [UInt8]? {
    guard let member = members[name], member.size <= Self.largestMember, member.packedSize <= Self.largestMember,
      let start = start(of: member)
    else { return nil }
    guard let packed = Self.read(descriptor, start..<start + member.packedSize) else { return nil }
    guard member.isDeflated else { return packed }
    let (output, error) = ContentDecoder().decodeAsFarAsItGoes(packed, [.deflate], limit: member.size + 1)
    return error == nil && output.bytes.count == member.size ? output.bytes : nil
  }

  /// Where the packed bytes begin.
  private func start(of member: Member) -> Int? {
    guard let head = Self.read(descriptor, member.offset..<member.offset + 30), head.starts(with: Self.signature) else {
      return nil
    }
    return member.offset + 30 + head.number(at: 26, size: 2) + head.number(at: 28, size: 2)
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
          isDeflated: method == 8, check: entry.number(at: 16, size: 4), packedSize: entry.number(at: 20, size: 4),
          size: entry.number(at: 24, size: 4),
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

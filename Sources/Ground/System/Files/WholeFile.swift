internal import Glibc

/// Reads and writes small files as a whole.
package enum WholeFile {
  private static let pieceSize = 64 << 10

  /// - Throws: `EFBIG` for a file of more than `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(SystemCallError) -> [UInt8] {
    let descriptor = try SystemCalls.open(path)
    defer { SystemCalls.discard(descriptor) }
    return try read(descriptor, limit: limit)
  }

  /// The remaining bytes of an open file.
  ///
  /// - Throws: `EFBIG` if they are more than `limit` bytes.
  package static func read(_ descriptor: Int32, limit: Int) throws(SystemCallError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try SystemCalls.read(descriptor, upTo: limit < pieceSize ? limit + 1 : pieceSize), !piece.isEmpty {
      bytes += piece
      guard bytes.count <= limit else { throw SystemCallError(code: EFBIG, call: .read) }
    }
    return bytes
  }

  /// The first bytes of a file, at most `limit`; of a pipe, the bytes that arrive first.
  package static func readStart(_ path: String, limit: Int) throws(SystemCallError) -> [UInt8] {
    let descriptor = try SystemCalls.open(path)
    defer { SystemCalls.discard(descriptor) }
    return try SystemCalls.read(descriptor, upTo: limit) ?? []
  }

  /// Writes a complete file under its name, and replaces an existing file of ours.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = PrivateFile.mode
  ) throws(PrivateFileError) {
    try PrivateFile.checkReplaceable(path)
    let draft = try FileDraft(of: path)
    do throws(SystemCallError) {
      try draft.write(bytes.span)
      try draft.replace(mode: mode)
    } catch {
      throw .system(error.code)
    }
  }
}

/// A file that is written under another name and takes its own when it is complete. A reader finds all of it or the previous
/// file; a draft that is dropped leaves nothing behind.
package struct FileDraft: ~Copyable {
  /// Which parts of a file are on the disk when it takes its name.
  package enum Durability: Sendable {
    /// Nothing is certain to be on the disk: such a file can be made again.
    case none
    /// The content of the file.
    case content
    /// The content and the metadata of the file.
    case all
  }

  private let target: String
  /// The name under which it is written.
  private let path: String
  /// `nil` once it is closed.
  private var descriptor: Int32?
  /// Whether `path` must still be removed.
  private var isLeft = true

  /// Makes a draft beside `target` for its owner alone. The caller decides whether `target` may be replaced.
  package init(of target: String) throws(PrivateFileError) {
    let path = "\(target).\(CurrentProcess.id)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    self.init(target, path, try PrivateFile.open(path, flags: .writeOnly, existing: .nothing))
  }

  /// A file that is written in its place, which must be free or an empty file, as `mktemp` makes it.
  package init(inPlace target: String) throws(PrivateFileError) {
    self.init(target, target, try PrivateFile.open(target, flags: .writeOnly, existing: .empty))
  }

  /// Call this only with an open file: as soon as all members have a value, `deinit` removes `path`, and an initializer that
  /// threw after that would remove a file that it was refused.
  private init(_ target: String, _ path: String, _ descriptor: Int32) {
    self.target = target
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    if let descriptor { SystemCalls.discard(descriptor) }
    if isLeft { SystemCalls.removeIfPossible(path) }
  }

  /// For code that writes directly. Open until the draft is finished or dropped.
  package var openDescriptor: Int32 {
    guard let descriptor else { preconditionFailure("a draft was used after its end") }
    return descriptor
  }

  package func write(_ bytes: Span<UInt8>) throws(SystemCallError) {
    try SystemCalls.writeAll(bytes, to: openDescriptor)
  }

  /// Takes the name, even if it is taken.
  ///
  /// - Parameter mode: `nil` keeps the file private to its owner.
  package consuming func replace(mode: UInt32? = nil, durability: Durability = .none) throws(SystemCallError) {
    try close(mode: mode, durability: durability)
    if path != target { try SystemCalls.rename(path, to: target) }
    isLeft = false
    IndexFile.remove(beside: target)
  }

  /// Takes the name if it is free; after that, the name and the file are on the disk.
  package consuming func place(mode: UInt32) throws(SystemCallError) {
    try close(mode: mode, durability: .all)
    try SystemCalls.link(path, as: target)
    try Directory.synchronize(target.lastIndex(of: "/").map { String(target[...$0]) } ?? ".")
  }

  private mutating func close(mode: UInt32?, durability: Durability) throws(SystemCallError) {
    if let mode { try SystemCalls.setPermissions(mode, of: openDescriptor) }
    switch durability {
    case .none: break
    case .content: try SystemCalls.synchronize(openDescriptor, withStatus: false)
    case .all: try SystemCalls.synchronize(openDescriptor)
    }
    guard let open = descriptor.take() else { return }
    try SystemCalls.close(open)
  }
}

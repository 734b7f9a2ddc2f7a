/// A file that is written under another name and takes its own when it is whole. A reader finds all of it or what was there before;
/// a draft that is dropped leaves nothing behind.
package struct FileDraft: ~Copyable {
  /// How far a file is on the disk when it takes its name.
  package enum Durability: Sendable {
    /// The disk takes its time: such a file can be made again.
    case none
    /// What the file holds.
    case content
    /// That, and what the file system says of it.
    case all
  }

  private let target: String
  /// The name under which it is written.
  private let path: String
  /// `nil` once it is closed.
  private var descriptor: Int32?
  /// Whether the name is one that must go.
  private var isLeft = true

  /// Makes a draft beside `target` for its owner alone. Whether what is at `target` may be replaced is the caller's to say.
  package init(of target: String) throws(PrivateFileError) {
    let path = "\(target).\(CurrentProcess.id)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    self.init(target, path, try PrivateFile.open(path, flags: .writeOnly, existing: .nothing))
  }

  /// A file that is written in its place, which must be free or empty: `mktemp` makes such.
  package init(inPlace target: String) throws(PrivateFileError) {
    self.init(target, target, try PrivateFile.open(target, flags: .writeOnly, existing: .empty))
  }

  /// Only with an open file in hand: from the moment that all members have a value, `deinit` removes what has the name, and an
  /// initializer that threw after it would remove what it was refused.
  private init(_ target: String, _ path: String, _ descriptor: Int32) {
    self.target = target
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    if let descriptor { SystemCalls.discard(descriptor) }
    if isLeft { SystemCalls.removeIfPossible(path) }
  }

  /// For what writes by itself. Open until the draft is finished or dropped.
  package var openDescriptor: Int32 {
    guard let descriptor else { preconditionFailure("a draft was used after its end") }
    return descriptor
  }

  package func write(_ bytes: Span<UInt8>) throws(SystemCallError) {
    try SystemCalls.writeAll(bytes, to: openDescriptor)
  }

  /// Takes the name, whatever has it.
  ///
  /// - Parameter mode: `nil` leaves the file its owner's alone.
  package consuming func replace(mode: UInt32? = nil, durability: Durability = .none) throws(SystemCallError) {
    try close(mode: mode, durability: durability)
    if path != target { try SystemCalls.rename(path, to: target) }
    isLeft = false
  }

  /// Takes the name if it is free; name and file are on the disk then.
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

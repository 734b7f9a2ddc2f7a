internal import TapelineSystem

/// A process of this machine, as /proc showed it at the moment of reading.
package struct RunningProcess: Hashable, Sendable {
  package let id: Int32
  package let parent: Int32
  /// When it began, in the kernel's ticks since the machine's start. An id is reused; the pair of id and start is not.
  package let startTicks: UInt64
  /// The kernel's name for it, at most 15 bytes: the program's name, or one that the process chose. It may contain anything.
  package let name: String

  /// `nil` if there is no such process, or we cannot see it.
  package init?(id: Int32) {
    guard let content = ProcFile.read("/proc/\(id)/stat", limit: 4_096) else { return nil }
    self.init(id: id, stat: content)
  }

  /// Reads `/proc/PID/stat` (proc_pid_stat(5)). A name may contain blanks and brackets: it ends at the last bracket.
  init?(id: Int32, stat: [UInt8]) {
    guard let open = stat.firstIndex(of: UInt8(ascii: "(")), let close = stat.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    // From the third field on.
    let fields = stat[(close + 1)...].split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") })
    guard fields.count > Self.startField, let parent = Int32(decimal: fields[1]),
      let start = UInt64(decimal: fields[Self.startField])
    else { return nil }
    self.id = id
    self.parent = parent
    startTicks = start
    name = String(decoding: stat[(open + 1)..<close], as: UTF8.self)
  }

  /// The 22nd field, counted from the third.
  private static let startField = 19

  /// Whether it still runs; another process may have its id by now.
  package var isRunning: Bool {
    RunningProcess(id: id)?.startTicks == startTicks
  }

  /// The file that it executes; `nil` for processes of other users.
  package var executable: String? {
    ProcFile.link("/proc/\(id)/exe")
  }

  /// Its command line, beginning with the name by which it was called; anything beyond `limit` bytes is left out.
  package func arguments(limit: Int = 65_536) -> [String] {
    texts("cmdline", limit: limit)
  }

  /// The environment with which it was started, as `NAME=VALUE`; empty for processes of other users.
  package func environment(limit: Int = 262_144) -> [String] {
    texts("environ", limit: limit)
  }

  /// The variables with which it was started; `nil` if they are not known: it is another user's, or it has ended, and then its
  /// environment reads as empty.
  package func variables(limit: Int = 262_144) -> [String: String]? {
    guard let content = ProcFile.read("/proc/\(id)/environ", limit: limit) else { return nil }
    // A process that still has its memory has a command line.
    guard !content.isEmpty || !arguments(limit: 64).isEmpty else { return nil }
    var variables: [String: String] = [:]
    for entry in Self.texts(content) {
      guard let separator = entry.firstIndex(of: "=") else { continue }
      variables[String(entry[..<separator])] = String(entry[entry.index(after: separator)...])
    }
    return variables
  }

  private func texts(_ file: String, limit: Int) -> [String] {
    Self.texts(ProcFile.read("/proc/\(id)/\(file)", limit: limit) ?? [])
  }

  private static func texts(_ content: [UInt8]) -> [String] {
    var content = content
    if content.last == 0 { content.removeLast() }
    guard !content.isEmpty else { return [] }
    return content.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension FixedWidthInteger {
  /// Only digits are accepted; `nil` if there are too many.
  init?(decimal digits: some Sequence<UInt8>) {
    self.init(String(decoding: Array(digits), as: UTF8.self), radix: 10)
  }
}

extension RunningProcess {
  /// The most processes and descriptors that are searched. A machine with more has no time to tell us who asked.
  private static let processLimit = 32_768
  private static let descriptorLimit = 65_536

  /// Where a process holds a connection.
  package struct Holder: Hashable, Sendable {
    package let process: RunningProcess
    package let descriptor: Int32

    package init(process: RunningProcess, descriptor: Int32) {
      self.process = process
      self.descriptor = descriptor
    }
  }

  /// A process that is searched before all others.
  package struct Suspect: Hashable, Sendable {
    package let id: Int32
    /// Descriptors that are tried before the rest of its descriptors.
    package let descriptors: [Int32]

    package init(id: Int32, descriptors: [Int32] = []) {
      self.id = id
      self.descriptors = descriptors
    }
  }

  /// The process at the end `local` of a connection of this machine, if we may look at it, that is, if it belongs to our user.
  /// `nil` if no process holds the connection any more, if it comes from elsewhere, or if its holder belongs to another user.
  ///
  /// The kernel names the socket; then one pass searches the descriptors of processes until one holds it, youngest process first,
  /// since a process often opens its first connection soon after its start. That takes milliseconds if there are many processes,
  /// so ask only if the answer decides something.
  ///
  /// - Parameters:
  ///   - likely: the likeliest first.
  ///   - diagnostics: a socket of the network that the connection belongs to (`SystemCalls.makeDiagnosticSocket`); `nil`: ours.
  package static func owner(
    of local: SocketAddress, to remote: SocketAddress, likely: [Suspect] = [], askedBy diagnostics: Int32? = nil
  ) -> Holder? {
    guard let inode = TCPSocket.inode(connecting: local, to: remote, askedBy: diagnostics), inode != 0 else { return nil }
    for suspect in likely {
      let descriptor = suspect.descriptors.first { ProcFile.socket(at: "/proc/\(suspect.id)/fd/\($0)") == inode }
      if let descriptor { return holder(suspect.id, descriptor) }
    }
    return search(likely.map(\.id), for: inode)
      ?? search(ProcFile.numbers(in: "/proc", limit: processLimit).sorted(by: >), for: inode)
  }

  private static func search(_ processes: [Int32], for inode: UInt64) -> Holder? {
    for id in processes {
      var found: Int32?
      ProcFile.forEachSocket(in: "/proc/\(id)/fd", limit: descriptorLimit) { descriptor, candidate in
        if candidate == inode { found = descriptor }
        return found == nil
      }
      if let found { return holder(id, found) }
    }
    return nil
  }

  private static func holder(_ id: Int32, _ descriptor: Int32) -> Holder? {
    RunningProcess(id: id).map { Holder(process: $0, descriptor: descriptor) }
  }

  /// The inodes of the sockets that it holds (`TCPSocket.inode`); empty for processes of other users.
  package var sockets: Set<UInt64> {
    var inodes: Set<UInt64> = []
    ProcFile.forEachSocket(in: "/proc/\(id)/fd", limit: Self.descriptorLimit) { _, inode in
      inodes.insert(inode)
      return true
    }
    return inodes
  }

  /// The children of a process, their children and so on, from one pass; without `id` itself. A process whose parent has ended
  /// has another parent by then, so it is missing.
  package static func descendants(of id: Int32) -> [RunningProcess] {
    var children: [Int32: [RunningProcess]] = [:]
    for number in ProcFile.numbers(in: "/proc", limit: processLimit) {
      if let process = RunningProcess(id: number) { children[process.parent, default: []].append(process) }
    }
    var found: [RunningProcess] = []
    var parents = [id]
    while let parent = parents.popLast() {
      // The children are removed, so that a table that changed during the reading cannot cause an endless loop.
      guard let next = children.removeValue(forKey: parent) else { continue }
      found += next
      parents += next.map(\.id)
    }
    return found
  }

  /// The children of all its threads, and their descendants, without a pass over all processes of the machine; `nil` if the
  /// kernel keeps no such lists (`CONFIG_PROC_CHILDREN`). Use it for repeated looks, and `descendants` otherwise.
  package var family: [RunningProcess]? {
    var found: [RunningProcess] = []
    var parents = [id]
    while let parent = parents.popLast() {
      let tasks = ProcFile.numbers(in: "/proc/\(parent)/task", limit: Self.taskLimit)
      for task in tasks {
        guard let list = ProcFile.read("/proc/\(parent)/task/\(task)/children", limit: Self.listLimit) else {
          if !SystemCalls.exists("/proc/\(CurrentProcess.id)/task/\(CurrentProcess.id)/children") { return nil }
          continue
        }
        for child in list.split(separator: UInt8(ascii: " ")).compactMap(Int32.init(decimal:)) {
          guard found.count < Self.taskLimit, let process = RunningProcess(id: child) else { continue }
          found.append(process)
          parents.append(child)
        }
      }
    }
    return found
  }

  private static let taskLimit = 4_096
  private static let listLimit = 65_536
}

internal import TapelineSystem

extension RunningProcess {
  /// What is looked at, at most. A machine with more is busy with other things than to be told who asked.
  private static let processLimit = 32_768
  private static let descriptorLimit = 65_536

  /// The process at the end `local` of a connection of this machine, if we may look at it: one of ours. `nil` for a connection that
  /// nobody holds any more, that comes from elsewhere, or whose holder is another user's.
  ///
  /// The kernel says which socket that is; then one pass over the descriptors of processes until one holds it: youngest first, since who
  /// opens a first connection has mostly just begun. That takes milliseconds where there are many, so ask only when the answer decides something.
  ///
  /// - Parameter likely: processes to look at before all others.
  package static func owner(of local: SocketAddress, to remote: SocketAddress, likely: [Int32] = []) -> RunningProcess? {
    guard let inode = TCPSocket.inode(connecting: local, to: remote), inode != 0 else { return nil }
    if let id = likely.first(where: { holds(inode, process: $0) }) { return RunningProcess(id: id) }
    let processes = ProcFile.numbers(in: "/proc", limit: processLimit).sorted(by: >)
    return processes.first { holds(inode, process: $0) }.flatMap(RunningProcess.init(id:))
  }

  private static func holds(_ inode: UInt64, process: Int32) -> Bool {
    var found = false
    ProcFile.forEachSocket(in: "/proc/\(process)/fd", limit: descriptorLimit) { candidate in
      found = candidate == inode
      return !found
    }
    return found
  }

  /// The inodes of the sockets that it holds (`TCPSocket.inode`); none for the processes of others.
  package var sockets: Set<UInt64> {
    var inodes: Set<UInt64> = []
    ProcFile.forEachSocket(in: "/proc/\(id)/fd", limit: Self.descriptorLimit) { inode in
      inodes.insert(inode)
      return true
    }
    return inodes
  }

  /// The children of a process, their children and so on, as one pass finds them; without `id` itself. Whose parent has ended belongs to
  /// another process by then, and is not among them.
  package static func descendants(of id: Int32) -> [RunningProcess] {
    var children: [Int32: [RunningProcess]] = [:]
    for number in ProcFile.numbers(in: "/proc", limit: processLimit) {
      if let process = RunningProcess(id: number) { children[process.parent, default: []].append(process) }
    }
    var found: [RunningProcess] = []
    var parents = [id]
    while let parent = parents.popLast() {
      // Taken out, so that a table that changed while it was read cannot lead in a circle.
      guard let next = children.removeValue(forKey: parent) else { continue }
      found += next
      parents += next.map(\.id)
    }
    return found
  }
}

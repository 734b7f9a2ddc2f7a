internal import TapelineSystem

extension RunningProcess {
  /// The most processes and descriptors that are searched. A machine with more has no time to tell us who asked.
  private static let processLimit = 32_768
  private static let descriptorLimit = 65_536

  /// The process at the end `local` of a connection of this machine, if we may look at it, that is, if it belongs to our user.
  /// `nil` if no process holds the connection any more, if it comes from elsewhere, or if its holder belongs to another user.
  ///
  /// The kernel names the socket; then one pass searches the descriptors of processes until one holds it, youngest process first,
  /// since a process often opens its first connection soon after its start. That takes milliseconds if there are many processes,
  /// so ask only if the answer decides something.
  ///
  /// - Parameter likely: processes that are searched before all others.
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

  /// The inodes of the sockets that it holds (`TCPSocket.inode`); empty for processes of other users.
  package var sockets: Set<UInt64> {
    var inodes: Set<UInt64> = []
    ProcFile.forEachSocket(in: "/proc/\(id)/fd", limit: Self.descriptorLimit) { inode in
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
}

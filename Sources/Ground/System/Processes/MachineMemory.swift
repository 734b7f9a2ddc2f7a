internal import Glibc

/// The memory that this process may use.
package enum MachineMemory {
  /// In bytes: the machine's, or what the process's control groups allow, if that is less.
  package static var limit: Int {
    let machine = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE))).partialValue
    let groups = ProcFile.read("/proc/self/cgroup", limit: 64 << 10) ?? []
    return min(machine > 0 ? machine : .max, limit(ofGroups: groups) { ProcFile.read($0, limit: 64) } ?? .max)
  }

  private static let root = "/sys/fs/cgroup"

  /// The least limit of the control groups of a process and of those above them (cgroups(7), both versions); `nil` without one.
  ///
  /// In a container, groups may not be there under the names that it is told: those above its own, and in version 1 its own.
  ///
  /// - Parameters:
  ///   - groups: the content of /proc/PID/cgroup.
  ///   - read: the content of a file; `nil` if there is none.
  static func limit(ofGroups groups: [UInt8], _ read: (String) -> [UInt8]?) -> Int? {
    var limits: [Int] = []
    for line in String(decoding: groups, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let (folder, file): (String, String)
      if parts[1].isEmpty {
        (folder, file) = (root, "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        (folder, file) = ("\(root)/memory", "memory.limit_in_bytes")
      } else {
        continue
      }
      var names = parts[2].split(separator: "/")
      while true {
        let path = ([folder] + names.map(String.init) + [file]).joined(separator: "/")
        // A group without a limit says `max`, or a number beyond all memory.
        let text = read(path).map { String(decoding: $0, as: UTF8.self).prefix { $0 != "\n" } }
        if let limit = text.flatMap({ Int($0) }) { limits.append(limit) }
        if names.popLast() == nil { break }
      }
    }
    return limits.min()
  }
}

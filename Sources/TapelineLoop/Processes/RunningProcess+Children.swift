internal import TapelineSystem

extension RunningProcess {
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

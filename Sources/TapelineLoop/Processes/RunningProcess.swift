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

  private func texts(_ file: String, limit: Int) -> [String] {
    guard var content = ProcFile.read("/proc/\(id)/\(file)", limit: limit) else { return [] }
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

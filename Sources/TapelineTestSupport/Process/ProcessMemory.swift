/// Resident memory of a running program, in KiB.
package struct ProcessMemory: Sendable {
  package let resident: Int
  /// The peak of resident memory.
  package let peak: Int

  /// `nil` if the process does not exist.
  init?(of process: Int32) {
    guard let status = try? readText("/proc/\(process)/status") else { return nil }
    func kibibytes(_ name: String) -> Int? {
      for line in status.split(separator: "\n") where line.hasPrefix(name) {
        return Int(line.filter(\.isNumber))
      }
      return nil
    }
    guard let resident = kibibytes("VmRSS:"), let peak = kibibytes("VmHWM:") else { return nil }
    self.resident = resident
    self.peak = peak
  }
}

import Glibc

/// As the kernel shows it.
func currentThreadName() -> String {
  guard let file = unsafe fopen("/proc/thread-self/comm", "r") else { return "" }
  defer { _ = unsafe fclose(file) }
  return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
    guard let line = unsafe fgets(buffer.baseAddress, 64, file) else { return "" }
    return unsafe String(String(cString: line).dropLast())
  }
}

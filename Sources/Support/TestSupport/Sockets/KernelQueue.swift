/// Waits until `count` bytes that were sent from the TCP port `port` have arrived at the other end's kernel, on this machine, and
/// nobody has read them: packets on loopback may be delivered after `send` has returned.
package func waitForUnreadBytes(_ count: Int = 1, sentFrom port: UInt16, seconds: Int64 = 10) throws(TestSupportError) {
  let deadline = Deadline.after(seconds: seconds)
  // The file must be polled.
  while !deadline.hasPassed {
    if try queues(towards: port).contains(where: { $0.unread >= count }) { return }
    pause(milliseconds: 1)
  }
  throw .timedOut(waitingFor: "\(count) bytes from port \(port)")
}

/// Bytes that were sent to the TCP port `port` on this machine, which the other end's kernel has not taken.
package func waitingBytes(sentTo port: UInt16) throws(TestSupportError) -> Int {
  try queues(towards: port).map(\.unsent).max() ?? 0
}

/// The bytes that the kernel holds for the connections whose other end has the TCP port `port`.
private func queues(towards port: UInt16) throws(TestSupportError) -> [(unsent: Int, unread: Int)] {
  // proc_pid_net(5): `sl local_address rem_address st tx_queue:rx_queue …`, in hexadecimal.
  let digits = String(port, radix: 16, uppercase: true)
  let end = ":" + String(repeating: "0", count: 4 - digits.count) + digits
  return try readText("/proc/net/tcp").split(separator: "\n").compactMap { line in
    let fields = line.split(separator: " ", maxSplits: 5)
    guard fields.count > 4, fields[2].hasSuffix(end) else { return nil }
    let counts = fields[4].split(separator: ":").map { Int($0, radix: 16) ?? 0 }
    return counts.count == 2 ? (counts[0], counts[1]) : nil
  }
}

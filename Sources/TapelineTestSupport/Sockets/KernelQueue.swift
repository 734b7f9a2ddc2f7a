/// Waits until `count` bytes that were sent from the TCP port `port` have arrived at the other end's kernel, on this machine, and
/// nobody has read them: packets on loopback may be delivered after `send` has returned.
package func waitForUnreadBytes(_ count: Int = 1, sentFrom port: UInt16, seconds: Int64 = 10) throws(TestSupportError) {
  let deadline = Deadline.after(seconds: seconds)
  // proc_pid_net(5): `sl local_address rem_address st tx_queue:rx_queue …`, in hexadecimal. The file must be polled.
  let digits = String(port, radix: 16, uppercase: true)
  let end = ":" + String(repeating: "0", count: 4 - digits.count) + digits
  while !deadline.hasPassed {
    for line in try readText("/proc/net/tcp").split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5)
      guard fields.count > 4, fields[2].hasSuffix(end), let unread = fields[4].split(separator: ":").last else { continue }
      if Int(unread, radix: 16) ?? 0 >= count { return }
    }
    pause(milliseconds: 1)
  }
  throw .timedOut(waitingFor: "\(count) bytes from port \(port)")
}

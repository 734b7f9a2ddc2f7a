internal import TapelineText

/// What the kernel has counted in a command's network.
package struct NetworkCounters: Sendable, Hashable {
  /// Connections that a program there has begun, and those that an end there has accepted: ours, or a server of the command. Equal when
  /// each has found somebody.
  package let begunConnections: Int
  package let acceptedConnections: Int
  /// Connections that nobody accepted.
  package let failedConnections: Int
  /// Datagrams over UDP to a port at which nobody receives.
  package let refusedDatagrams: Int
  /// Pings.
  package let refusedEchoes: Int

  /// Reads /proc/net/snmp and /proc/net/snmp6 (proc(5)).
  init(_ files: [[UInt8]]) {
    var values: [String: Int] = [:]
    for file in files {
      let lines = String(decoding: file, as: UTF8.self).split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
      for (index, words) in lines.enumerated() {
        guard let first = words.first else { continue }
        if first.hasSuffix(":") {
          // A line of names, then a line of values; both begin alike.
          guard index > 0, lines[index - 1].first == first else { continue }
          for (name, value) in zip(lines[index - 1].dropFirst(), words.dropFirst()) {
            values["\(first)\(name)"] = Int(value)
          }
        } else if words.count == 2 {
          values[String(first)] = Int(words[1])
        }
      }
    }
    begunConnections = values["Tcp:ActiveOpens", default: 0]
    acceptedConnections = values["Tcp:PassiveOpens", default: 0]
    failedConnections = values["Tcp:AttemptFails", default: 0]
    refusedDatagrams = values["Udp:NoPorts", default: 0] + values["Udp6NoPorts", default: 0]
    refusedEchoes = values["Icmp:OutEchos", default: 0] + values["Icmp6OutEchos", default: 0]
  }
}

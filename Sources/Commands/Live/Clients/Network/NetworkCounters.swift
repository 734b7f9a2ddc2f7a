internal import TapelineBase

/// The kernel's counters of a command's network.
package struct NetworkCounters: Sendable, Hashable {
  /// Connections that a program there has begun, and those that an end there has accepted: ours, or a server of the command.
  /// Equal when each has found somebody.
  package let begunConnections: Int
  package let acceptedConnections: Int
  /// Connections that nobody accepted.
  package let failedConnections: Int
  /// Datagrams over UDP to a port at which nobody receives.
  package let refusedDatagrams: Int
  /// Packets to groups of addresses (multicast) or to all (broadcast), which nobody outside receives. A program that joins a
  /// group sends some, too.
  package let groupPackets: Int
  /// Pings.
  package let refusedEchoes: Int

  /// Reads /proc/net/snmp, /proc/net/snmp6 and /proc/net/netstat (proc(5)).
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
    let unreceived = ["Udp:NoPorts", "Udp6NoPorts", "UdpLite:NoPorts", "UdpLite6NoPorts"]
    refusedDatagrams = unreceived.reduce(0) { $0 + values[$1, default: 0] }
    let toGroups = ["IpExt:OutMcastPkts", "IpExt:OutBcastPkts", "Ip6OutMcastPkts"]
    groupPackets = toGroups.reduce(0) { $0 + values[$1, default: 0] }
    refusedEchoes = values["Icmp:OutEchos", default: 0] + values["Icmp6OutEchos", default: 0]
  }
}

internal import TapelineHAR

/// A network that the user has chosen, in place of the one there is, and what it has done to the packets so far.
package struct RecordedNetwork: Hashable, Sendable {
  /// As the user wrote it.
  package let profile: String
  let seed: UInt64
  package let packets: UInt64
  /// Packets that were lost by chance, that found the queue full, and that waited for the line.
  package let lost: UInt64
  package let overflowed: UInt64
  package let queued: UInt64

  package init(
    profile: String, seed: UInt64, packets: UInt64 = 0, lost: UInt64 = 0, overflowed: UInt64 = 0, queued: UInt64 = 0
  ) {
    self.profile = profile
    self.seed = seed
    self.packets = packets
    self.lost = lost
    self.overflowed = overflowed
    self.queued = queued
  }

  /// The member of the log.
  var member: [UInt8] {
    var writer = JSONWriter()
    writer.append(member: .network)
    writer.append(json: #"{"profile":"#)
    writer.append(string: profile)
    writer.append(json: #","seed":"#)
    writer.append(integer: seed)
    writer.append(json: #","packets":"#)
    writer.append(integer: packets)
    writer.append(json: #","lost":"#)
    writer.append(integer: lost)
    writer.append(json: #","overflowed":"#)
    writer.append(integer: overflowed)
    writer.append(json: #","queued":"#)
    writer.append(integer: queued)
    writer.append(byte: UInt8(ascii: "}"))
    return writer.bytes
  }
}

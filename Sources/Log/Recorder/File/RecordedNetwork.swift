internal import TapelineHAR

/// A network that the user has chosen, in place of the one there is, and what it has done to the packets so far.
package struct RecordedNetwork: Hashable, Sendable {
  /// As the user wrote it.
  package let profile: String
  let seed: UInt64
  package var packets: UInt64 = 0
  /// Packets that were lost by chance, that found the queue full, and that waited for the line.
  package var lost: UInt64 = 0
  package var overflowed: UInt64 = 0
  package var queued: UInt64 = 0
  /// The time, in nanoseconds, in which at least one packet was on its way.
  package var busy: Int64 = 0

  /// Whether it holds packets; else it holds exchanges.
  private let holdsPackets: Bool

  package init(profile: String, seed: UInt64, holdsPackets: Bool = true) {
    self.profile = profile
    self.seed = seed
    self.holdsPackets = holdsPackets
  }

  /// The member of the log.
  var member: [UInt8] {
    var writer = JSONWriter()
    writer.append(member: .network)
    writer.append(json: #"{"profile":"#)
    writer.append(string: profile)
    writer.append(json: #","seed":"#)
    writer.append(integer: seed)
    if holdsPackets {
      writer.append(json: #","packets":"#)
      writer.append(integer: packets)
      writer.append(json: #","lost":"#)
      writer.append(integer: lost)
      writer.append(json: #","overflowed":"#)
      writer.append(integer: overflowed)
      writer.append(json: #","queued":"#)
      writer.append(integer: queued)
      writer.append(json: #","busy":"#)
      writer.append(number: Double(busy / 1_000) / 1_000)
    }
    writer.append(byte: UInt8(ascii: "}"))
    return writer.bytes
  }
}

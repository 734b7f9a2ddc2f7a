internal import TapelineTime

/// What has come of a response behind its head, while its task decides what follows.
final class HeldResponse {
  let status: Int
  let instant: MonotonicInstant
  private(set) var octets: [UInt8] = []

  init(status: Int, at instant: MonotonicInstant) {
    self.status = status
    self.instant = instant
  }

  func append(_ bytes: Span<UInt8>) {
    octets.reserveCapacity(octets.count + bytes.count)
    for index in bytes.indices { octets.append(bytes[index]) }
  }
}

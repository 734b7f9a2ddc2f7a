internal import TapelineText
internal import TapelineTime

/// The part of a response that came after its head, while its task decides what follows.
final class HeldResponse {
  let status: Int
  let instant: MonotonicInstant
  private(set) var bytes: [UInt8] = []

  init(status: Int, at instant: MonotonicInstant) {
    self.status = status
    self.instant = instant
  }

  func append(_ piece: Span<UInt8>) {
    bytes.append(bytes: piece)
  }
}

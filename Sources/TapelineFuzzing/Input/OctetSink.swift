/// Keeps what a writer gives away.
final class OctetSink {
  private(set) var octets: [UInt8] = []

  func append(_ piece: Span<UInt8>) {
    octets += [UInt8](copying: piece)
  }
}

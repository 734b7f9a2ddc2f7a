/// Collects the output of a writer.
final class ByteSink {
  private(set) var bytes: [UInt8] = []

  func append(_ piece: Span<UInt8>) {
    bytes += [UInt8](copying: piece)
  }
}

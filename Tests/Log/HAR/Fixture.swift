import TapelineTestSupport
import TapelineHAR
import TapelineSystem
import Testing

/// The logs in `Tests/Fixtures/har`: what other programs write, with their mistakes, as small as can be.
enum Fixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    try WholeFile.read("\(repositoryRoot)/Tests/Fixtures/har/\(name).har", limit: 1 << 20)
  }
}

/// Everything that is found in `text`, fed in pieces of `step` bytes.
func findings(
  _ text: [UInt8], _ profiles: Set<HARProfile> = [], step: Int = .max
) throws(HARReadError) -> (findings: [HARFinding], lint: HARLint) {
  var lint = HARLint(profiles: profiles)
  var findings: [HARFinding] = []
  for piece in pieces(text, step) { try lint.feed(piece.span) { findings.append($0) } }
  try lint.finish { findings.append($0) }
  return (findings, lint)
}

/// What the repair of `text` writes.
func repaired(_ text: [UInt8], _ profiles: Set<HARProfile> = [], step: Int = .max) throws -> [UInt8] {
  let output = Sink()
  var repair = HARRepair(try findings(text, profiles).lint) { (piece) throws(Never) in output.append(piece) }
  for piece in pieces(text, step) { try repair.feed(piece.span) }
  try repair.finish()
  return output.bytes
}

func pieces(_ text: [UInt8], _ step: Int) -> [[UInt8]] {
  let step = min(step, max(text.count, 1))
  return stride(from: 0, to: text.count, by: step).map { Array(text[$0..<min($0 + step, text.count)]) }
}

/// Keeps what a writer gives away.
final class Sink {
  private(set) var bytes: [UInt8] = []

  func append(_ piece: Span<UInt8>) {
    for index in piece.indices { bytes.append(piece[index]) }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

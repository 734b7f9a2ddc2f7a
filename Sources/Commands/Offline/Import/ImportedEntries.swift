package import TapelineHAR
internal import TapelineRecorder
internal import TapelineBase
internal import TapelineTime

/// The entries of what other programs wrote, for who has it in memory.
package enum ImportedEntries {
  /// More of a body is not kept.
  private static let bodyLimit = 1 << 20

  /// The entries of a trace of curl, all of whose lines count as of one day.
  ///
  /// - Parameter pieces: the text, cut anywhere.
  package static func ofTrace(_ pieces: some Sequence<ArraySlice<UInt8>>) -> [HAREntry] {
    var entries: [HAREntry] = []
    var clock = CurlClock(firstDay: CivilDate(year: 2026, month: 1, day: 1))
    var reader = CurlTraceReader()
    var transfers = CurlTransfers(bodyLimit: bodyLimit)
    let handle = { (event: CurlEvent, detail: CurlDetail?) in
      guard let time = event.timeOfDay else { return }
      transfers.handle(event, at: clock.instant(of: time), detail) { entries.append(entry(of: $0)) }
    }
    for piece in pieces { reader.feed(piece.span, handle) }
    reader.finish(handle)
    transfers.finish(reader.detail) { entries.append(entry(of: $0)) }
    return entries
  }

  /// The entries of packets.
  ///
  /// - Parameter lines: as tshark writes them: a packet each, its fields separated by tabs.
  package static func ofPackets(_ lines: [UInt8]) -> [HAREntry] {
    var entries: [HAREntry] = []
    var reader = PacketReader(bodyLimit: bodyLimit)
    for line in lines.split(separator: Byte.lineFeed) {
      guard let row = PacketRow(Array(line)) else { continue }
      reader.take(row) { entries.append(entry(of: $0)) }
    }
    reader.finish { entries.append(entry(of: $0)) }
    return entries
  }

  private static func entry(of exchange: ImportedExchange) -> HAREntry {
    var observed = ObservedEntries(redactingBy: nil)
    do throws(HARReadError) {
      var entry = try observed.entry(of: exchange.record)
      exchange.complete(&entry)
      return entry
    } catch {
      preconditionFailure("an entry that was just written can be read: \(error)")
    }
  }
}

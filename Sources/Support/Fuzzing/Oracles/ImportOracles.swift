internal import TapelineHAR
internal import TapelineOffline

/// Traces of curl: the entries do not depend on where the text was cut, and can be written and read.
enum TraceOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let whole = ImportedEntries.ofTrace([input[...]])
    for segmentation in Segmentation.all(of: input) {
      let cut = ImportedEntries.ofTrace(segmentation.pieces(of: input.count).map { input[$0] })
      try OracleViolation.requireEqual(cut, whole, "\(segmentation) and in one piece is the same")
    }
    try requireReadable(whole)
  }

  /// An entry that is made of foreign bytes is like any other.
  static func requireReadable(_ entries: [HAREntry]) throws(OracleViolation) {
    for entry in entries {
      let again: HAREntry
      do throws(HARReadError) {
        again = try HAREntry(json: entry.json)
      } catch {
        throw OracleViolation("an entry that was made can be read: \(error)")
      }
      try OracleViolation.requireEqual(again, entry, "an entry that is written is read as it was")
    }
  }
}

/// Packets, as tshark describes them.
enum PacketOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    try TraceOracle.requireReadable(ImportedEntries.ofPackets(input))
  }
}

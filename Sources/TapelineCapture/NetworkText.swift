internal import TapelineClients
internal import TapelineText

/// What the kernel has counted in the command's network, for the end of a recording.
enum NetworkText {
  /// Every connection that a program there begins is accepted there: by us, or by a server of the command. Where the two numbers
  /// differ, the line says so.
  static func line(for counters: NetworkCounters) -> String {
    let begun = counters.begunConnections - counters.failedConnections
    let accepted = counters.acceptedConnections
    let balance = begun == accepted ? "all accepted here" : "\(accepted) of them accepted here"
    let refused = "\(Count.text(counters.refusedDatagrams, "datagram")), \(Count.text(counters.refusedEchoes, "ping"))"
    return "the command's network: \(Count.text(begun, "connection")), \(balance); refused: \(refused); "
      + "led nowhere: \(counters.groupPackets) multicasts and broadcasts"
  }
}

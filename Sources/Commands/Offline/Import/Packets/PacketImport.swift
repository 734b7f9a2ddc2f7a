internal import TapelineSystem
internal import TapelineBase

/// A capture of packets, as a HAR.
package struct PacketImport {
  private let file: String
  private let keys: String?
  private let settings: ImportSettings

  /// - Parameters:
  ///   - file: in any format that tshark reads; `-` is standard input.
  ///   - keys: a file with the secrets of its TLS connections.
  package init(_ file: String, keys: String?, _ settings: ImportSettings) {
    self.file = file
    self.keys = keys
    self.settings = settings
  }

  package func run() throws(CommandFailure) {
    if let keys { try check(keys) }
    let packets = try Tshark(reading: file, keys: keys)
    var log: ImportedLog
    do throws(CommandFailure) {
      log = try ImportedLog(settings, of: "packets \(file)")
    } catch {
      _ = packets.finish(isKilled: true)
      throw error
    }
    var reader = PacketReader(bodyLimit: settings.bodyLimit)
    do throws(CommandFailure) {
      try packets.read { (row) throws(CommandFailure) in
        try reader.take(row) { (exchange) throws(CommandFailure) in try log.write(exchange) }
      }
      try reader.finish { (exchange) throws(CommandFailure) in try log.write(exchange) }
    } catch {
      _ = packets.finish(isKilled: true)
      throw error
    }
    let complaint = packets.finish()
    let (count, secrets) = (log.entryCount, log.secretCount)
    guard count > 0 else { throw nothing(reader.unreadableCount, complaint) }
    try log.finish()
    settings.report(summary(count, secrets, reader.unreadableCount))
    if let complaint {
      throw CommandFailure(
        status: .badInput, what: name, why: complaint, remedy: "everything before that is in \(settings.outputName)")
    }
  }

  private var name: String { file == "-" ? "standard input" : file }

  /// tshark says nothing of a missing file.
  private func check(_ keys: String) throws(CommandFailure) {
    do throws(SystemCallError) {
      SystemCalls.discard(try SystemCalls.open(keys))
    } catch {
      throw CommandFailure(
        status: .badInput, what: "--keys \(keys)", why: error.text, remedy: "name the file that SSLKEYLOGFILE named")
    }
  }

  private func nothing(_ unreadable: Int, _ complaint: String?) -> CommandFailure {
    let why = complaint ?? "no exchange can be read in it" + (unreadable > 0 ? Self.undecrypted(unreadable) : "")
    let remedy =
      unreadable > 0 && complaint == nil
      ? "name the secrets of its connections with --keys" : "name a capture of HTTP/1.x or HTTP/2 over TCP"
    return CommandFailure(status: .badInput, what: name, why: why, remedy: remedy)
  }

  private func summary(_ count: Int, _ secrets: Int, _ unreadable: Int) -> String {
    let exchanges = Count.text(count, "exchange")
    let hidden = settings.keepsSecrets ? "" : "; \(Count.text(secrets, "secret")) replaced"
    return exchanges + hidden + (unreadable > 0 ? Self.undecrypted(unreadable) : "")
  }

  private static func undecrypted(_ count: Int) -> String {
    "; \(Count.text(count, "connection")) of TLS without secrets"
  }
}

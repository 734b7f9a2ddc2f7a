internal import TapelineHAR

/// An exchange as HTTP/2 carried it, from an entry's `_http2`.
struct LoggedStream: Hashable, Sendable {
  /// On the connection to the server; `nil` if that speaks HTTP/1.
  let id: Int?
  /// On the client's connection.
  let clientID: Int?
  /// The name of the error code.
  let reset: String?
  private let members: HARObject

  init?(_ entry: HAREntry) {
    guard case .object(let members)? = entry.custom[.http2] else { return nil }
    self.members = members
    id = members["streamId"]?.integer
    clientID = members["clientStreamId"]?.integer
    reset = members["reset"]?["code"]?.string
  }

  /// `3 to the server, 5 from the client, urgency 1, incremental`.
  var text: String? {
    let parts = [
      id.map { "\($0) to the server" }, clientID.map { "\($0) from the client" },
      members["urgency"]?.integer.map { "urgency \($0)" }, members["incremental"]?.bool == true ? "incremental" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// How long content waited for windows; `nil` if it never did.
  var stallText: String? {
    let count = members["windowStalls"]?.integer ?? 0
    let sending = members["sendStalled"]?.double ?? 0
    let receiving = members["receiveStalled"]?.double ?? 0
    let parts = [
      count > 0 || sending > 0
        ? "sending \(count == 1 ? "once" : "\(count) times"), \(DurationText.compact(sending)), for the server's window" : nil,
      receiving > 0 ? "receiving \(DurationText.compact(receiving)), for the reader" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// `CANCEL by the client`.
  var resetText: String? {
    guard let reset else { return nil }
    return switch members["reset"]?["who"]?.string {
    case "client": "\(reset) by the client"
    case "origin": "\(reset) by the server"
    case "local": "\(reset) by tapeline"
    case let other?: "\(reset) by \(other)"
    case nil: reset
    }
  }

  /// The code of the server's GOAWAY.
  var goAway: String? { members["goaway"]?.string }
}

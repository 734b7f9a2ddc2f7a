package import TapelineHAR
internal import TapelineBase

/// A gRPC call, from an entry's `_grpc`.
package struct RecordedCall: Hashable, Sendable {
  package struct Message: Hashable, Sendable {
    package let isSent: Bool
    /// Seconds since 1970.
    package let time: Double?
    package let size: Int?
    package let isCompressed: Bool
    package let isTrailers: Bool
  }

  let status: Int?
  /// `NOT_FOUND`; `nil` for a status that has no name.
  let statusName: String?
  let message: String
  /// All messages that passed.
  let requestMessages: Int
  let responseMessages: Int
  /// Those that the log has.
  package let messages: [Message]
  /// Why messages may be missing.
  let note: String?

  package init?(_ entry: HAREntry) {
    guard case .object(let members)? = entry.custom[.grpc] else { return nil }
    status = members["status"]?.integer
    statusName = members["statusName"]?.string
    message = members["message"]?.string ?? ""
    requestMessages = max(0, members["requestMessages"]?.integer ?? 0)
    responseMessages = max(0, members["responseMessages"]?.integer ?? 0)
    messages = (members["messages"]?.array ?? []).map(Message.init)
    note = members["note"]?.string
  }

  /// The messages after those of the list, of which the log has times and sizes alone.
  package func rest(of entry: HAREntry) -> [Message] {
    guard let text = entry.custom[.grpc]?["rest"]?.string, let start = unixNanoseconds(ofDate: entry.startedDateTime) else {
      return []
    }
    return (ArrivalText(text)?.arrivals(of: 3) ?? []).map { arrival in
      Message(
        isSent: arrival.mark & 1 == 1, time: Double(start) / 1e9 + Double(arrival.time) / 1e6, size: arrival.size,
        isCompressed: arrival.mark & 2 != 0, isTrailers: arrival.mark & 4 != 0)
    }
  }

  package var messageCount: Int { requestMessages.addingSaturating(responseMessages) }

  /// `OK`, the number of a status without a name, or `no status`.
  var outcome: String { statusName ?? status.map(String.init) ?? "no status" }

  /// `5 NOT_FOUND: no such lamp; 1 message sent, 0 received`.
  var text: String {
    let status = [self.status.map(String.init), statusName].compactMap(\.self).joined(separator: " ")
    let words = (status.isEmpty ? "no status" : status) + (message.isEmpty ? "" : ": \(message)")
    let counts = "\(Count.text(requestMessages, "message")) sent, \(responseMessages) received"
    return [words, counts, note].compactMap(\.self).joined(separator: "; ")
  }
}

extension RecordedCall.Message {
  fileprivate init(_ value: HARValue) {
    isSent = value["type"]?.string == "send"
    time = value["time"]?.double
    size = value["size"]?.integer
    isCompressed = value["compressed"]?.bool == true
    isTrailers = value["trailers"]?.bool == true
  }
}

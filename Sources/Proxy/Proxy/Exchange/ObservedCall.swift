internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime

/// The messages of a gRPC call, noted as they pass. It never touches a byte. Loop-bound; a class, so that exchanges that are not
/// calls carry no room for it.
final class ObservedCall {
  private var toServer: GRPCMessageObserver
  private var toClient: GRPCMessageObserver
  private var messages: [GRPCDetails.Message] = []
  private var others = ArrivalTimes()

  /// The most messages that the log lists; of the others it has times and sizes in a compact form.
  static let messageLimit = 1_000

  /// - Parameter fields: of the request or of the response; one of them is enough to say that this is a call.
  convenience init?(_ fields: borrowing HeaderFields) {
    guard let format = GRPCFormat(of: fields) else { return nil }
    self.init(format)
  }

  private init(_ format: GRPCFormat) {
    toServer = GRPCMessageObserver(format)
    toClient = GRPCMessageObserver(format)
  }

  func noteToServer(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    toServer.receive(bytes) { keep($0, .toServer, at: instant) }
  }

  func noteToClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    toClient.receive(bytes) { keep($0, .toClient, at: instant) }
  }

  private func keep(
    _ message: GRPCMessageObserver.Message, _ direction: MessageDirection, at instant: MonotonicInstant
  ) {
    let message = GRPCDetails.Message(
      instant: instant, direction: direction, size: message.size, isCompressed: message.isCompressed,
      isTrailers: message.isTrailers)
    if messages.count < Self.messageLimit { messages.append(message) } else { others.append(instant, message.figure) }
  }

  /// - Parameter hasEnded: whether no more bytes can come.
  func details(hasEnded: Bool) -> GRPCDetails {
    let notes = [("client", toServer), ("server", toClient)].compactMap { Self.note(on: $0.1, of: $0.0, hasEnded: hasEnded) }
    return GRPCDetails(
      messages: messages, others: others, toServer: toServer.messageCount, toClient: toClient.messageCount,
      trailers: toClient.trailers, note: notes.isEmpty ? nil : notes.joined(separator: "; "))
  }

  private static func note(on observer: GRPCMessageObserver, of side: String, hasEnded: Bool) -> String? {
    switch observer.failure {
    case .unknownFlag(let flag): "the \(side)'s bytes are not gRPC messages: a prefix begins with \(flag)"
    case .invalidLength(let length): "the \(side)'s bytes are not gRPC messages: a prefix names \(length) bytes"
    case .notBase64: "the \(side)'s bytes are not gRPC messages: they are not base64"
    case nil: hasEnded && observer.isInMessage ? "the \(side)'s last message is incomplete" : nil
    }
  }
}

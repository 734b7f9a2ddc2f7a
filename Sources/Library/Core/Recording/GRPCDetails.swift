package import TapelineHTTP
package import TapelineTime

/// The messages of a gRPC call as they passed, not decoded; bounded in number.
///
/// A class because most records have none, and all have room for it.
package final class GRPCDetails: Sendable {
  package struct Message: Hashable, Sendable {
    /// When its last byte came.
    package let instant: MonotonicInstant
    package let direction: MessageDirection
    /// Bytes without the prefix of five, as they passed.
    package let size: UInt32
    package let isCompressed: Bool
    /// The trailers of gRPC-Web, which are framed like a message and are not counted as one.
    package let isTrailers: Bool

    package init(
      instant: MonotonicInstant, direction: MessageDirection, size: UInt32, isCompressed: Bool, isTrailers: Bool = false
    ) {
      self.instant = instant
      self.direction = direction
      self.size = size
      self.isCompressed = isCompressed
      self.isTrailers = isTrailers
    }

    /// All but the time: the size, as far as 29 bits go, and three more.
    package var figure: Int {
      Int(min(size, 1 << 29 - 1)) << 3 | (isTrailers ? 4 : 0) | (isCompressed ? 2 : 0) | (direction == .toServer ? 1 : 0)
    }
  }

  /// The first messages, in the order in which they ended.
  package let messages: [Message]
  /// The messages after those: what `Message.figure` tells.
  package let others: ArrivalTimes
  /// All messages that passed, kept or not.
  package let toServer: UInt64
  package let toClient: UInt64
  /// The response's trailers of gRPC-Web, which are in its content; `nil` without them.
  package let trailers: HeaderFields?
  /// Why messages may be missing, a sentence for people; `nil` when all were understood.
  package let note: String?

  package init(
    messages: [Message], others: ArrivalTimes = ArrivalTimes(), toServer: UInt64, toClient: UInt64, trailers: HeaderFields? = nil,
    note: String? = nil
  ) {
    self.messages = messages
    self.others = others
    self.trailers = trailers
    self.toServer = toServer
    self.toClient = toClient
    self.note = note
  }
}

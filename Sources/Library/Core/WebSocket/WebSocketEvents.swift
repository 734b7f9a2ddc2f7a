public import FoundationEssentials
public import TapelineTransport

extension WebSocketRequest {
  /// A message: bytes, or text.
  public enum Message: Sendable, Hashable {
    /// A binary message.
    case data(Data)
    /// A text message.
    case string(String)
  }

  /// Why a connection ends (RFC 6455 7.4).
  public struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: Int

    /// A code by its number. Sent are 1000 to 1003, 1007 to 1014 and 3000 to 4999.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// 1000.
    public static let normalClosure = CloseCode(rawValue: 1_000)
    /// 1001.
    public static let goingAway = CloseCode(rawValue: 1_001)
    /// 1002.
    public static let protocolError = CloseCode(rawValue: 1_002)
    /// 1003.
    public static let unsupportedData = CloseCode(rawValue: 1_003)
    /// 1005: the peer gave none. It is not sent.
    public static let noStatusReceived = CloseCode(rawValue: 1_005)
    /// 1006: the connection ended without a close. It is not sent.
    public static let abnormalClosure = CloseCode(rawValue: 1_006)
    /// 1007.
    public static let invalidFramePayloadData = CloseCode(rawValue: 1_007)
    /// 1008.
    public static let policyViolation = CloseCode(rawValue: 1_008)
    /// 1009.
    public static let messageTooBig = CloseCode(rawValue: 1_009)
    /// 1010.
    public static let mandatoryExtensionMissing = CloseCode(rawValue: 1_010)
    /// 1011.
    public static let internalServerError = CloseCode(rawValue: 1_011)
  }

  /// One event of a connection.
  public struct Event<Success: Sendable, Failure: Error>: Sendable {
    /// The kinds of event, with their values.
    public enum Kind: Sendable {
      /// The connection is open; the protocol that the server has chosen among those offered.
      case connected(protocol: String?)
      /// A message came.
      case receivedMessage(Success)
      /// A message came that could not be made into a value.
      case decoderFailed(Failure)
      /// The connection was closed, by either side. The code and the reason are the server's.
      case disconnected(closeCode: CloseCode, reason: Data?)
      /// The request has ended: the last event.
      case completed(Completion)
    }

    /// The request.
    public internal(set) weak var socket: WebSocketRequest?
    /// The event itself.
    public let kind: Kind

    /// The message, if one came.
    public var message: Success? {
      if case .receivedMessage(let message) = kind { message } else { nil }
    }
  }

  /// The outcome of a connection.
  public struct Completion: Sendable {
    /// The request that was sent; `nil` when none could be made.
    public let request: URLRequest?
    /// The server's head; `nil` when none came.
    public let response: HTTPURLResponse?
    /// The measurements of the last attempt.
    public let metrics: TaskMetrics?
    /// `nil` when the connection was closed in order.
    public let error: TapelineError?
  }

  /// How a connection is opened and kept.
  public struct Configuration: Sendable {
    /// No protocols, messages up to 1 MiB, compression, no pings.
    public static var `default`: Configuration { Configuration() }

    /// Offers these protocols.
    public static func protocols(_ protocols: [String]) -> Configuration { Configuration(protocols: protocols) }

    /// Takes messages up to this size, in bytes.
    public static func maximumMessageSize(_ maximumMessageSize: Int) -> Configuration {
      Configuration(maximumMessageSize: maximumMessageSize)
    }

    /// Sends a ping every so many seconds.
    public static func pingInterval(_ pingInterval: TimeInterval) -> Configuration { Configuration(pingInterval: pingInterval) }

    /// The protocols offered, the favourite first (RFC 6455 1.9).
    public let protocols: [String]
    /// The most bytes of a message that comes, after it is inflated: a longer one fails the request.
    public let maximumMessageSize: Int
    /// Seconds between two pings; `nil`: none. A ping that is not answered before the next one fails the request.
    public let pingInterval: TimeInterval?
    /// Whether permessage-deflate is offered (RFC 7692).
    public let allowsCompression: Bool

    /// - Parameters:
    ///   - protocols: the protocols offered, the favourite first.
    ///   - maximumMessageSize: the most bytes of a message that comes.
    ///   - pingInterval: seconds between two pings; `nil`: none.
    ///   - allowsCompression: whether permessage-deflate is offered.
    public init(
      protocols: [String] = [], maximumMessageSize: Int = 1_048_576, pingInterval: TimeInterval? = nil,
      allowsCompression: Bool = true
    ) {
      self.protocols = protocols
      self.maximumMessageSize = max(0, maximumMessageSize)
      self.pingInterval = pingInterval
      self.allowsCompression = allowsCompression
    }
  }

  /// The outcome of a ping.
  public enum PingResult: Sendable {
    /// The server's answer.
    public struct Pong: Sendable {
      /// Seconds between ping and pong.
      public let latency: TimeInterval
    }

    /// The server has answered.
    case pong(Pong)
    /// The ping was not sent: the connection is not open.
    case unsent
    /// The connection ended before an answer came.
    case lost
  }

  /// Why a message was not sent.
  public enum SendError: Error, Sendable {
    /// The connection is closed, or the request was cancelled or has ended.
    case closed
    /// The value could not be encoded.
    case encoder(any Error)
  }
}

/// The events of a WebSocket connection, or what is made of them, as an asynchronous sequence.
///
/// The consumer sets the pace: while more than 256 KiB wait to be taken, the connection is not read. It is for one consumer,
/// once. By default, a consumer that stops early, or whose task is cancelled, cancels the request.
public struct WebSocketEvents<Element: Sendable>: AsyncSequence, Sendable {
  /// How the connection ended is in its last event.
  public typealias Failure = Never

  private let lease: StreamLease<Element>

  init(_ lease: StreamLease<Element>) {
    self.lease = lease
  }

  /// The one way to take the events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(lease: lease)
  }

  /// Takes the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let lease: StreamLease<Element>

    /// The next event; `nil` at the end.
    public mutating func next() async -> Element? {
      await next(isolation: #isolation)
    }

    /// The next event, awaited on `actor`; `nil` at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      switch await lease.next(isolation: actor) {
      case .success(let element): element
      case .failure: nil
      }
    }
  }
}

/// A member that HAR 1.2 does not define: it leaves names that begin with `_` to programs. docs/har.md describes each.
///
/// No other Swift file spells these names. The recorder writes a member behind another one, and readers ask for it, by the same
/// constant; a test holds the constants against docs/har.md.
public struct HARMember: Sendable {
  /// The name with what is around it behind another member, `,"_name":`: one literal, which the recorder copies in a few moves.
  public let opening: StaticString

  @inlinable
  init(_ opening: StaticString) {
    self.opening = opening
  }

  /// The bytes of `opening` before and behind the name.
  static let punctuation = (before: 2, behind: 2)

  /// The name, as `_door`.
  public var name: String {
    let text = opening.description.utf8.dropFirst(Self.punctuation.before).dropLast(Self.punctuation.behind)
    return String(Substring(text))
  }

  // MARK: The log

  /// Exact counts of all that is missing from the file.
  @inlinable public static var dropped: Self { Self(#","_dropped":"#) }
  /// Connections of programs that went past the proxy.
  @inlinable public static var bypassed: Self { Self(#","_bypassed":"#) }
  /// The network that the user chose for the command.
  @inlinable public static var network: Self { Self(#","_network":"#) }
  /// A summary of each log that was merged.
  @inlinable public static var merged: Self { Self(#","_merged":"#) }

  // MARK: Whose exchange it was

  /// The number of the exchange, in the order of arrival.
  @inlinable public static var exchangeID: Self { Self(#","_exchangeId":"#) }
  /// The connection to the server, unique in a run.
  @inlinable public static var connectionID: Self { Self(#","_connectionId":"#) }
  /// The client's connection, unique in a run.
  @inlinable public static var clientConnectionID: Self { Self(#","_clientConnectionId":"#) }
  /// The server's port as a number.
  @inlinable public static var serverPort: Self { Self(#","_serverPort":"#) }
  /// The client's address.
  @inlinable public static var clientAddress: Self { Self(#","_clientAddress":"#) }
  /// The client's port.
  @inlinable public static var clientPort: Self { Self(#","_clientPort":"#) }
  /// The upstream proxy and the time of its tunnel.
  @inlinable public static var upstreamProxy: Self { Self(#","_upstreamProxy":"#) }
  /// The lookup that gave the program this address.
  @inlinable public static var lookup: Self { Self(#","_lookup":"#) }
  /// How the client came, if not as to a proxy.
  @inlinable public static var door: Self { Self(#","_door":"#) }
  /// The other places of the origin, by `Alt-Svc`.
  @inlinable public static var alternatives: Self { Self(#","_alternatives":"#) }

  // MARK: How it ended

  /// Why and where the exchange failed.
  @inlinable public static var error: Self { Self(#","_error":"#) }
  /// Who ended the exchange before it was complete.
  @inlinable public static var ended: Self { Self(#","_ended":"#) }
  /// The status of the proxy's own answer.
  @inlinable public static var localStatus: Self { Self(#","_localStatus":"#) }
  /// Attempts on the wire, if there was more than one.
  @inlinable public static var attempts: Self { Self(#","_attempts":"#) }
  /// The bytes of a tunnel, and why it was not read.
  @inlinable public static var tunnel: Self { Self(#","_tunnel":"#) }
  /// The bytes after the protocol was switched.
  @inlinable public static var upgrade: Self { Self(#","_upgrade":"#) }
  /// Whether the capture ended first.
  @inlinable public static var incomplete: Self { Self(#","_incomplete":"#) }
  /// A crash of tapeline itself.
  @inlinable public static var crash: Self { Self(#","_crash":"#) }
  /// Whether the exchange had not ended.
  @inlinable public static var inFlight: Self { Self(#","_inFlight":"#) }
  /// The 1xx responses that came before.
  @inlinable public static var informational: Self { Self(#","_informational":"#) }
  /// How the messages broke the rules and were understood.
  @inlinable public static var anomalies: Self { Self(#","_anomalies":"#) }
  /// The changes that the proxy made, in order.
  @inlinable public static var changes: Self { Self(#","_changes":"#) }
  /// The things that rules of the user's did to the exchange.
  @inlinable public static var injected: Self { Self(#","_injected":"#) }
  /// How many secrets were replaced.
  @inlinable public static var redacted: Self { Self(#","_redacted":"#) }

  // MARK: When, and at what cost

  /// Who caused `timings.blocked`.
  @inlinable public static var blocked: Self { Self(#","_blocked":"#) }
  /// Each mark that was met, from `startedDateTime`.
  @inlinable public static var events: Self { Self(#","_events":"#) }
  /// Who took the marks of bytes that came.
  @inlinable public static var clock: Self { Self(#","_clock":"#) }
  /// The library's `Timeline`.
  @inlinable public static var timeline: Self { Self(#","_timeline":"#) }
  /// The proxy's own time.
  @inlinable public static var overhead: Self { Self(#","_overhead":"#) }
  /// The kernel's figures for both connections.
  @inlinable public static var tcp: Self { Self(#","_tcp":"#) }
  /// The arrival of the pieces of a streamed response.
  @inlinable public static var chunks: Self { Self(#","_chunks":"#) }
  /// The debug description of the response.
  @inlinable public static var debug: Self { Self(#","_debug":"#) }

  // MARK: Protocols

  /// TLS with the server.
  @inlinable public static var tls: Self { Self(#","_tls":"#) }
  /// TLS with the client.
  @inlinable public static var clientTLS: Self { Self(#","_clientTLS":"#) }
  /// The streams of HTTP/2.
  @inlinable public static var http2: Self { Self(#","_http2":"#) }
  /// The call of gRPC and its status.
  @inlinable public static var grpc: Self { Self(#","_grpc":"#) }
  /// Messages whose content is missing.
  @inlinable public static var webSocketMessagesDropped: Self { Self(#","_webSocketMessagesDropped":"#) }
  /// When they came, and how large they were.
  @inlinable public static var webSocketRest: Self { Self(#","_webSocketRest":"#) }

  // MARK: Messages and their bodies

  /// The header block as it came, compressed.
  @inlinable public static var headersWire: Self { Self(#","_headersWire":"#) }
  /// The pseudo-fields of HTTP/2, in order.
  @inlinable public static var pseudo: Self { Self(#","_pseudo":"#) }
  /// The trailer fields.
  @inlinable public static var trailers: Self { Self(#","_trailers":"#) }
  /// Who ended the request before it was complete.
  @inlinable public static var endedBy: Self { Self(#","_endedBy":"#) }
  /// How much of the body is not in the log.
  @inlinable public static var truncated: Self { Self(#","_truncated":"#) }
  /// Why the body is still encoded.
  @inlinable public static var decodeError: Self { Self(#","_decodeError":"#) }
  /// Whether only the beginning could be decoded.
  @inlinable public static var decodeTruncated: Self { Self(#","_decodeTruncated":"#) }
  /// The body's file.
  @inlinable public static var file: Self { Self(#","_file":"#) }
  /// `base64` for bytes that are not text.
  @inlinable public static var encoding: Self { Self(#","_encoding":"#) }
  /// Whether the payload is still compressed.
  @inlinable public static var compressed: Self { Self(#","_compressed":"#) }
  /// The size of the payload as it came.
  @inlinable public static var size: Self { Self(#","_size":"#) }

  // MARK: Only in the live page: what was left out for its sake

  /// Messages that the live page does not show.
  @inlinable public static var webSocketMessagesLeftOut: Self { Self(#","_webSocketMessagesLeftOut":"#) }
  /// Parameters that the live page does not show.
  @inlinable public static var paramsLeftOut: Self { Self(#","_paramsLeftOut":"#) }

  // MARK: Names that browsers and Playwright use, which we read and partly write

  /// The type of the resource, as Chrome names it.
  @inlinable public static var resourceType: Self { Self(#","_resourceType":"#) }
  /// The messages of a WebSocket connection.
  @inlinable public static var webSocketMessages: Self { Self(#","_webSocketMessages":"#) }
  /// How many messages there were.
  @inlinable public static var webSocketMessageCount: Self { Self(#","_webSocketMessageCount":"#) }
  /// The events of an event stream, as Chrome has them.
  @inlinable public static var eventSourceMessages: Self { Self(#","_eventSourceMessages":"#) }
  /// The cause of the request, as Chrome has it.
  @inlinable public static var initiator: Self { Self(#","_initiator":"#) }
  /// The size of the response on the wire.
  @inlinable public static var transferSize: Self { Self(#","_transferSize":"#) }

  /// Chrome's times in `timings`, of which we only look whether Chrome would take them.
  static let timesOfChrome = ["_blocked_queueing", "_blocked_proxy", "_workerStart", "_workerReady", "_workerFetchStart"]

  /// All of them.
  public static let all: [Self] = [
    .dropped, .bypassed, .network, .merged, .exchangeID, .connectionID, .clientConnectionID, .serverPort, .clientAddress,
    .clientPort,
    .upstreamProxy, .lookup, .door, .alternatives, .error, .ended, .localStatus, .attempts, .tunnel, .upgrade, .incomplete,
    .crash, .inFlight, .informational, .anomalies, .changes, .injected, .redacted, .blocked, .events, .clock, .timeline,
    .overhead, .tcp, .chunks, .debug, .tls, .clientTLS, .http2, .grpc, .webSocketMessagesDropped, .webSocketRest, .headersWire,
    .pseudo, .trailers, .endedBy, .truncated, .decodeError, .decodeTruncated, .file, .encoding, .compressed, .size,
    .webSocketMessagesLeftOut, .paramsLeftOut, .resourceType, .webSocketMessages, .webSocketMessageCount, .eventSourceMessages,
    .initiator, .transferSize,
  ]
}

extension HARObject {
  /// The last member of that name.
  public subscript(member: HARMember) -> HARValue? {
    get { self[member.name] }
    set { self[member.name] = newValue }
  }
}

extension HARValue {
  /// The member of an object; `nil` if there is none, or if the value is no object.
  public subscript(member: HARMember) -> HARValue? { self[member.name] }
}

extension JSONWriter {
  /// Appends the name of a member that follows another one; the value comes next.
  @inlinable @inline(__always)
  public mutating func append(member: HARMember) {
    append(json: member.opening)
  }
}

extension MemberName {
  /// Whether the value is read for a reader of these parts, as a member that the format does not define.
  @inline(__always)
  func isRead(in parts: HAREntryParts) -> Bool {
    parts.contains(.custom) || isReadAlways || parts.contains(.row) && isInRow || parts.contains(.figures) && isFigure
  }

  /// How an exchange ended, if it has: a table of exchanges is wrong without it.
  @inline(__always)
  private var isReadAlways: Bool {
    matches(.error) || matches(.ended) || matches(.tunnel) || matches(.inFlight) || matches(.grpc)
      || matches(.localStatus) || matches(.injected)
  }

  /// Besides these members, `stats` counts only those that are always read.
  private var isFigure: Bool {
    matches(.overhead) || matches(.connectionID)
  }

  /// The connection, the purpose of the exchange, and the arrival of its body: with these, a row of a page is complete.
  private var isInRow: Bool {
    matches(.connectionID) || matches(.chunks) || matches(.resourceType) || matches(.transferSize)
  }
}

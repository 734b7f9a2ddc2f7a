package import TapelineHTTP
package import TapelineTLS
internal import TapelineBase
package import TapelineTime

/// The transport's measurements of a task: its last transaction in full, the ones before it, and counts over all of them.
///
/// A transaction is one attempt at one exchange. There is more than one when a redirection was followed, a challenge was
/// answered, or a reused connection turned out to be dead.
public struct TaskMetrics: Sendable {
  /// Only the origin's side of the last transaction: `queued` to `responseLastByte`.
  package var marks = TimelineMarks()
  /// The last transaction's.
  package var connection: ConnectionInfo?
  /// The result of that connection's TLS handshake; `nil` without TLS, or when the handshake did not end.
  package var handshake: HandshakeOutcome?
  /// The last transaction's.
  package var bytes = ByteCounts()
  /// How the last transaction's request was forwarded, if it was a client's.
  package var forwarding: RequestForwarding?
  /// The last transaction's stream, if it was made in HTTP/2.
  package var stream: StreamMetrics?
  /// The last transaction's; 0 before its response.
  package var status = 0
  private var earlier: [TransactionMetrics] = []
  /// The last transaction's, if it is the process's own request.
  private var request: [RequestHead] = []
  private var began: MonotonicInstant?

  /// Attempts begun: redirections, answered challenges and replaced dead connections each begin another.
  public internal(set) var attempts = 0
  /// Redirections followed.
  public internal(set) var redirectCount = 0
  /// Bytes written for the task, with heads and framing, without the bytes that TLS adds.
  public internal(set) var bytesSent: UInt64 = 0
  /// Bytes read for the task, with heads and framing, without the bytes that TLS adds.
  public internal(set) var bytesReceived: UInt64 = 0

  package init() {}

  /// The negotiated parameters.
  package var tls: TLSParameters? { handshake?.parameters }

  /// Why the handshake failed.
  package var tlsFailure: TLSError? { handshake?.failure }

  /// Every transaction, in order. Empty when the task was given up before it began.
  public var transactions: [TransactionMetrics] {
    current.map { earlier + [$0] } ?? earlier
  }

  /// From the beginning of the first transaction to the last event measured in the last one.
  public var duration: Duration {
    transactions.last?.lastInstant?.offset ?? .zero
  }

  /// The beginning of the first transaction.
  public var start: MetricsInstant? {
    transactions.first.map { MetricsInstant(instant: $0.began, began: $0.began) }
  }

  /// Begins another attempt, without the last one's measurements.
  mutating func beginAttempt(at instant: MonotonicInstant) {
    if let current {
      earlier.append(current)
    } else {
      began = instant
    }
    marks = TimelineMarks()
    marks.stamp(.queued, at: instant)
    didWait(until: instant)
    connection = nil
    handshake = nil
    bytes = ByteCounts()
    status = 0
    forwarding = nil
    stream = nil
    request = []
    attempts += 1
  }

  /// Until `instant`, the task could only wait: for a connection or a place on one, or for an attempt that was lost.
  mutating func didWait(until instant: MonotonicInstant) {
    if let began { marks.noteHeld(from: began, until: instant) }
  }

  /// The answer's first byte came at `first` and was read at `read`.
  ///
  /// Our write may have returned late: no answer comes before the question. A request of several writes may still be on its
  /// way, as an answer need not wait for its end.
  mutating func answerDidBegin(at first: MonotonicInstant, readAt read: MonotonicInstant) {
    marks.noteQueue(from: first, to: read)
    if marks[.sentLast] == marks[.sentFirst] { marks.bound(.sentLast, by: first) }
    marks.bound(.sentFirst, by: first)
  }

  /// Content came in answer to an attempt, for nobody: the task may have begun another one meanwhile.
  mutating func didDrain(_ count: Int, of attempt: Int, at instant: MonotonicInstant) {
    if attempt == attempts {
      bytes.responseBody += UInt64(count)
      marks.move(.responseLastByte, to: instant)
    } else {
      earlier[attempt - 1].didDrain(count, at: instant)
    }
  }

  /// Notes the last transaction's request.
  mutating func describe(_ head: RequestHead) {
    request = [head]
  }

  private var current: TransactionMetrics? {
    guard let began else { return nil }
    return TransactionMetrics(
      began: began, marks: marks, connection: connection, handshake: handshake, bytes: bytes, request: request.first,
      status: status, isHTTP2: stream != nil)
  }
}

extension TaskMetrics: CustomStringConvertible, CustomDebugStringConvertible {
  /// One line: how many transactions, how long, how much.
  public var description: String {
    let attempts = Count.text(attempts, "transaction")
    let redirects = redirectCount == 0 ? "" : ", \(Count.text(redirectCount, "redirection"))"
    return "Task Metrics: { \(attempts)\(redirects), \(duration.millisecondsText), \(bytesSent) bytes sent, "
      + "\(bytesReceived) received }"
  }

  /// That line, and one for each transaction.
  public var debugDescription: String {
    ([description] + transactions.map { "\($0)" }).joined(separator: "\n")
  }
}

extension TransactionMetrics: CustomStringConvertible {
  /// One line: the request, the status, the connection, and the duration of each phase that took place.
  public var description: String {
    let status = statusCode.map { " (\($0))" } ?? ""
    let asked = requestMethod.map { "\($0) \(requestURL ?? "")\(status)" } ?? "Transaction\(status)"
    let peer = remoteAddress.map { "\(isReusedConnection ? "kept" : "new") connection to \($0) port \(remotePort ?? 0)" }
    return ([asked, peer ?? "no connection"] + phases).joined(separator: ", ")
  }

  private var phases: [String] {
    let phases: [(name: String, MetricsInstant?, MetricsInstant?)] = [
      ("lookup", domainLookupStart, domainLookupEnd),
      ("connect", connectStart, connectEnd),
      ("tunnel", proxyConnectStart, proxyConnectEnd),
      ("TLS", secureConnectionStart, secureConnectionEnd),
      ("send", requestStart, requestEnd),
      ("wait", requestEnd, responseStart),
      ("receive", responseStart, responseEnd),
    ]
    return phases.compactMap { name, start, end in
      guard let start, let end else { return nil }
      return "\(name) \((end.offset - start.offset).millisecondsText)"
    }
  }
}

extension Duration {
  /// `12.345 ms`: whole microseconds, the rest cut off. A phase that ended before the one before it is negative.
  fileprivate var millisecondsText: String {
    let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
    let digits = "\(fraction)"
    let zeros = String(repeating: "0", count: 3 - digits.count)
    return "\(microseconds < 0 ? "-" : "")\(whole).\(zeros)\(digits) ms"
  }
}

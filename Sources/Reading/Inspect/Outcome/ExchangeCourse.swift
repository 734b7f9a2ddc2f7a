internal import TapelineHAR

/// The course of an exchange, which decides whether its times are those of an answer.
///
/// Percentiles, means and other figures of times are of answered exchanges unless somebody asks for others by a condition: a
/// refused connection is not a fast answer, and a WebSocket lasts as long as its client likes.
package enum ExchangeCourse: Int, CaseIterable, Sendable {
  /// A whole response came, whatever its status is, and whether or not it reports a failed operation.
  case answered
  /// No whole response came.
  case failed
  /// The client ended it before the response was whole.
  case ended
  case inFlight
  /// A WebSocket or another protocol.
  case switched
  /// A tunnel that was established.
  case tunnel
  /// The proxy itself answered, and nothing had failed: one of its pages, or the question for credentials.
  case local
  /// None: the entry stands for a crash of tapeline itself.
  case crash

  init(_ entry: HAREntry) {
    self.init(
      entry, failure: RecordedFailure(entry), hasEnded: RecordedEnd(entry) != nil,
      isOutstanding: RecordedEnd.isOutstanding(for: entry))
  }

  init(_ entry: HAREntry, failure: RecordedFailure?, hasEnded: Bool, isOutstanding: Bool) {
    self =
      if entry.isOpenTunnel {
        .tunnel
      } else if entry.hasSwitchedProtocols {
        .switched
      } else if isOutstanding {
        .inFlight
      } else if let failure, failure.operation == nil {
        failure.isCrash ? .crash : .failed
      } else {
        hasEnded ? .ended : entry.custom[.localStatus] == nil ? .answered : .local
      }
  }
}

extension ExchangeCourse {
  /// The course of an exchange that its client did not end, and that was not in flight: no extended CONNECT, no failed operation.
  init(method: String, status: Int, failure: RecordedFailure?) {
    self =
      if method == "CONNECT", (200..<300).contains(status) {
        .tunnel
      } else if status == 101 {
        .switched
      } else {
        failure.map { $0.isCrash ? .crash : .failed } ?? .answered
      }
  }
}

extension QueryExpression {
  /// The courses that a condition names, so that it asks for their times, too: `error` or `ended`, `status == 101`,
  /// `type == "websocket"`, `method == "CONNECT"`, …
  var namedCourses: Set<ExchangeCourse> {
    switch self {
    case .both(let left, let right), .either(let left, let right): left.namedCourses.union(right.namedCourses)
    case .not(let inner): inner.namedCourses
    case .holds(let field, let test): field.namedCourses(test)
    case .compares: []
    }
  }
}

extension QueryField {
  fileprivate func namedCourses(_ test: QueryTest) -> Set<ExchangeCourse> {
    switch source {
    case .known(.error), .known(.errorMessage), .known(.errorOrigin), .known(.errorPhase), .known(.errorKind): [.failed]
    case .known(.ended): [.ended]
    case .known(.status): test.names(0) ? [.failed, .ended] : test.names(101) ? [.switched] : []
    case .known(.method): test.names("connect") ? [.tunnel] : []
    case .known(.type): test.names("websocket") ? [.switched] : []
    case .known(.scheme): test.names("ws") || test.names("wss") ? [.switched] : []
    case .custom(.entry, let path):
      switch path.first {
      case HARMember.error.name: [.failed]
      case HARMember.ended.name: [.ended]
      case HARMember.inFlight.name: [.inFlight]
      case HARMember.webSocketMessages.name, HARMember.webSocketMessageCount.name: [.switched]
      case HARMember.tunnel.name: [.tunnel]
      case HARMember.localStatus.name: [.local]
      case HARMember.crash.name: [.crash]
      case _: []
      }
    case .known, .named, .custom, .member, .serverTime: []
    }
  }
}

extension QueryTest {
  fileprivate func names(_ word: String) -> Bool {
    if case .text(let text) = self { text.lowercased() == word } else { false }
  }

  fileprivate func names(_ number: Double) -> Bool {
    if case .number(let test) = self { test.order == .equal && test.number == number } else { false }
  }
}

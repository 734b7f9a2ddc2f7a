internal import TapelineTime

extension TaskMetrics: CustomStringConvertible, CustomDebugStringConvertible {
  /// One line: how many transactions, how long, how much.
  public var description: String {
    let attempts = "\(attempts) \(attempts == 1 ? "transaction" : "transactions")"
    let redirects = redirectCount == 0 ? "" : ", \(redirectCount) \(redirectCount == 1 ? "redirection" : "redirections")"
    return "Task Metrics: { \(attempts)\(redirects), \(taskInterval.millisecondsText), \(bytesSent) bytes sent, "
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

internal import TapelineProxy

/// How clients heard of servers that failed before they answered, for the end of a recording.
enum FailureText {
  /// `failures of servers: 1 answered with a page, 2 passed on as ended connections`; `nil` where no server failed.
  static func line(for activity: ProxyActivity) -> String? {
    let counts = [
      (activity.answeredFailures, "answered with a page"), (activity.passedFailures, "passed on as ended connections"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? nil : "failures of servers: \(parts.joined(separator: ", "))"
  }
}

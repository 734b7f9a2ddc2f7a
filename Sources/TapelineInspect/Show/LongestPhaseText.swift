/// One sentence that says why an exchange took as long as it did.
enum LongestPhaseText {
  /// `wait, 421ms of 463ms (91 %): the request was sent, and the server had not answered yet`; `nil` when nothing took time.
  static func line(for durations: PhaseDurations, total: Double) -> String? {
    guard let (phase, duration) = durations.longest, total > 0 else { return nil }
    let share = Int(saturating: (duration / max(total, duration) * 100).rounded())
    let name = phase == .ssl ? "TLS" : phase.name
    return "\(name), \(DurationText.compact(duration)) of \(DurationText.compact(total)) (\(share) %): \(meaning(of: phase))"
  }

  private static func meaning(of phase: Phase) -> String {
    switch phase {
    case .client: "it waited for the client itself: for its TLS hello, or for its request"
    case .blocked: "it waited for a connection, or in the client or proxy itself"
    case .dns: "the host's name was looked up"
    case .connect: "a connection was opened (TCP)"
    case .ssl: "the connection's TLS handshake"
    case .send: "the request was being sent"
    case .wait: "the server had the request and had not answered yet"
    case .receive: "the response was coming in"
    }
  }
}

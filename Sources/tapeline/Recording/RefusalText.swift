internal import TapelineProxy

/// The message about a client that refuses our certificate.
enum RefusalText {
  static func line(for notice: RefusalNotice) -> String {
    switch notice.consequence {
    case .none, .suspicion:
      "\(notice.client) refused our certificate for \(notice.host) (\(notice.refusal)): its requests there are not recorded; "
        + "make it trust us (tapeline env, tapeline ca trust), or leave the host alone (--passthrough-host \(notice.host))"
    case .passedThrough:
      "\(notice.client) is passed through to \(notice.host), unread, for 10 minutes: it refused our certificate (\(notice.refusal)); "
        + "once it trusts us (tapeline env, tapeline ca trust), tapeline passthrough --clear intercepts it again"
    }
  }
}
